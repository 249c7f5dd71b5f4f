import type { StoreOperation, StoreParams, StoreResult } from './contract.ts';
import type { Decoder } from './records.ts';

/** Implements one operation in the store's thread. */
export interface StoreHandler {
  readonly writes: boolean;
  readonly run: (params: unknown) => unknown;
}

export type StoreHandlers = { readonly [O in StoreOperation]: StoreHandler };

export function reads<O extends StoreOperation>(
  decode: Decoder<StoreParams<O>>,
  run: (params: StoreParams<O>) => StoreResult<O>,
): StoreHandler {
  return { writes: false, run: (params) => run(decode(params)) };
}

export function writes<O extends StoreOperation>(
  decode: Decoder<StoreParams<O>>,
  run: (params: StoreParams<O>) => void,
): StoreHandler {
  return {
    writes: true,
    run: (params) => {
      run(decode(params));
      return null;
    },
  };
}

/** A write that returns a result. */
export function changes<O extends StoreOperation>(
  decode: Decoder<StoreParams<O>>,
  run: (params: StoreParams<O>) => StoreResult<O>,
): StoreHandler {
  return { writes: true, run: (params) => run(decode(params)) };
}
