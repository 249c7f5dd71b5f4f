/** The kinds of IP addresses that a host must distinguish. */
type AddressKind = 'loopback' | 'private' | 'public';

type Prefix = readonly [start: bigint, bits: number];

/** Ranges that are not reachable over the internet, or stand for such a range (IANA special-purpose registries). */
const SPECIAL_V4 = prefixes(v4, [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]);

const SPECIAL_V6 = prefixes(v6, [
  '::/128',
  '::1/128',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
]);

/** IPv6 prefixes whose addresses carry an IPv4 address, with the number of bits behind it. */
const EMBEDDING = (
  [
    ['::/96', 0],
    ['::ffff:0:0/96', 0],
    ['::ffff:0:0:0/96', 0],
    ['64:ff9b::/96', 0],
    ['2002::/16', 80],
  ] as const
).map(([text, behind]) => ({ prefix: prefix(v6, text), behind: BigInt(behind) }));

export function isLoopback(hostname: string): boolean {
  return kindOfIp(hostname) === 'loopback' || /^(.*\.)?localhost\.?$/i.test(hostname);
}

/** Whether the address or name shows that the host exists only within one network. */
export function isPrivate(hostname: string): boolean {
  const kind = kindOfIp(hostname);
  if (kind !== undefined) return kind !== 'public';
  return (
    isLoopback(hostname) ||
    !hostname.replace(/\.$/, '').includes('.') ||
    /\.(local|internal|intranet|lan|home|corp|home\.arpa)\.?$/i.test(hostname)
  );
}

/** The kind of a host as `URL` spells it, such as `127.0.0.1` or `[::1]`; `undefined` for a name. */
function kindOfIp(hostname: string): AddressKind | undefined {
  if (hostname.startsWith('[')) return kindOfV6(v6(hostname.slice(1, -1)));
  return /^\d{1,3}(\.\d{1,3}){3}$/.test(hostname) ? kindOfV4(v4(hostname)) : undefined;
}

function kindOfV4(address: bigint): AddressKind {
  if (address >> 24n === 127n) return 'loopback';
  return SPECIAL_V4.some((range) => contains(range, address, 32)) ? 'private' : 'public';
}

function kindOfV6(address: bigint): AddressKind {
  if (address === 1n) return 'loopback';
  if (SPECIAL_V6.some((range) => contains(range, address, 128))) return 'private';
  const embedding = EMBEDDING.find(({ prefix: range }) => contains(range, address, 128));
  if (embedding === undefined) return 'public';
  // Never loopback, which is trusted more: an address translator may also lead to this machine.
  return kindOfV4((address >> embedding.behind) & 0xffff_ffffn) === 'public' ? 'public' : 'private';
}

function contains([start, bits]: Prefix, address: bigint, width: number): boolean {
  const behind = BigInt(width - bits);
  return address >> behind === start >> behind;
}

function prefixes(parse: (text: string) => bigint, texts: readonly string[]): readonly Prefix[] {
  return texts.map((text) => prefix(parse, text));
}

function prefix(parse: (text: string) => bigint, text: string): Prefix {
  const [start = '', bits = ''] = text.split('/');
  return [parse(start), Number(bits)];
}

function v4(text: string): bigint {
  return text.split('.').reduce((sum, part) => (sum << 8n) + BigInt(part), 0n);
}

/** `text` was written by `URL`, or is one of the ranges above. */
function v6(text: string): bigint {
  const [head = '', tail] = text.split('::');
  const groups = (part: string): readonly string[] => (part === '' ? [] : part.split(':'));
  const left = groups(head);
  const right = tail === undefined ? [] : groups(tail);
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...zeros, ...right].reduce((sum, group) => (sum << 16n) + BigInt(`0x${group}`), 0n);
}
