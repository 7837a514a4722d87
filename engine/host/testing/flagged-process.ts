/** A program that starts as the venue does and prints how it runs. */
import { startWithV8Flags } from '#host/v8-flags.ts';

startWithV8Flags();
console.log(JSON.stringify({ pid: process.pid, flags: process.execArgv, options: process.argv.slice(2) }));
