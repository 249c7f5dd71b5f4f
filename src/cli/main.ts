// The code is in the library next to this file. Bundling it twice would double the package.
import { runCommandLine } from './library.ts';

void runCommandLine(process.argv.slice(2));
