declare module 'picomatch' {
  interface Options {
    readonly dot: boolean;
    readonly noext: boolean;
    readonly nonegate: boolean;
    readonly windows: boolean;
  }

  interface Picomatch {
    (pattern: string, options: Options): (text: string) => boolean;
    makeRe(pattern: string, options: Options): RegExp;
  }

  const picomatch: Picomatch;
  export = picomatch;
}
