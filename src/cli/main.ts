// All of it is in the library, which is beside this file in what ships: twice the same would be half of the package.
import { runCommandLine } from './library.ts';

void runCommandLine(process.argv.slice(2));
