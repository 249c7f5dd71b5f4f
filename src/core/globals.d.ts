/**
 * The whole of the platform that the core may touch without a port: pure text codecs, and the microtask queue,
 * which orders work but measures no time. Timers, randomness, disk and network come through `ports.ts`.
 */
declare class TextDecoder {
  constructor(label?: string, options?: { readonly fatal?: boolean; readonly ignoreBOM?: boolean });
  decode(input?: Uint8Array, options?: { readonly stream?: boolean }): string;
}
declare class TextEncoder {
  encode(input?: string): Uint8Array;
  encodeInto(input: string, into: Uint8Array): { readonly read: number; readonly written: number };
}
declare class URL {
  constructor(url: string, base?: string);
  readonly href: string;
  readonly protocol: string;
  readonly host: string;
  readonly hostname: string;
  readonly origin: string;
  readonly pathname: string;
  readonly search: string;
  readonly searchParams: { has(name: string): boolean; delete(name: string): void };
}
declare function queueMicrotask(callback: () => void): void;
