import { cleanLine, cleanText } from '../base/cleanText.ts';
import { isLoopback, isPrivate } from '../base/networkHosts.ts';
import type { UrlQuestion } from '../inputPorts.ts';
import type { UrlElicitation } from '../model/inputs.ts';

/** A longer one cannot be checked by eye, and the end of a URL may hide a trap. */
const LONGEST_URL = 4_000;
const LONGEST_HOST = 253;

/** The facts that a person must see before a page is opened; a sentence if it must not be opened. */
export function urlQuestion(server: string, elicitation: UrlElicitation): UrlQuestion | string {
  const parsed = parse(elicitation.url);
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol))
    return 'it is not the address of a web page, which begins with http: or https:';
  if (parsed.href.length > LONGEST_URL) return `its address has ${parsed.href.length} characters`;
  const authority = authorityOf(elicitation.url);
  const written = cleanLine(hostOf(authority), LONGEST_HOST);
  const isOther = written.toLowerCase() !== parsed.hostname;
  const remarks = [
    ...(isOther ? [`Its host is written "${written}" and is really "${parsed.hostname}".`] : []),
    ...(isEncoded(parsed.hostname)
      ? ['Letters of other alphabets in its host can look like those of another one.']
      : []),
    ...(authority.includes('@') ? ['It names a user before its host, which is a common disguise of addresses.'] : []),
    ...placeRemarks(parsed.hostname),
    ...(parsed.protocol === 'http:' && !isLoopback(parsed.hostname)
      ? ['It is not encrypted: others can read along.']
      : []),
  ];
  return {
    server,
    message: cleanText(elicitation.message),
    url: parsed.href,
    host: parsed.host,
    writtenHost: isOther ? written : undefined,
    elicitationId: elicitation.elicitationId,
    remarks,
  };
}

function parse(url: string): URL | undefined {
  try {
    return new URL(url);
  } catch {
    return undefined;
  }
}

/** From the text, as parsing takes out what deceives. */
function authorityOf(url: string): string {
  return /^\s*[a-z]+:[\\/]*([^\\/?#]*)/i.exec(url)?.[1] ?? '';
}

function hostOf(authority: string): string {
  return authority.slice(authority.lastIndexOf('@') + 1).replace(/:\d*$/, '');
}

function isEncoded(host: string): boolean {
  return host.split('.').some((label) => label.startsWith('xn--'));
}

/** A page of this machine or network acts with what only this machine can reach. */
function placeRemarks(host: string): readonly string[] {
  if (isLoopback(host)) return ['It is on this machine: a program here answers, not a website.'];
  return isPrivate(host) ? ['It is in a private network, not on the internet.'] : [];
}
