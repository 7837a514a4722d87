/**
 * The process. `start` runs a venue; `gateway` serves /v2 in front of one; `connect` gets an API key of one; `journal` and `projections` work offline on a data
 * directory; `agents` works on files, or on what it reads of a venue; every other command goes to the running venue. Expected faults end in one line.
 */

import { errorText } from '#observability/error-text.ts';
import { systemTime } from '#time/system-time.ts';

const written = process.argv.slice(2);
/** `help <command>` is `<command> --help`. */
const [command, ...args] = written[0] === 'help' && written.length > 1 ? [...written.slice(1), '--help'] : written;

try {
  await run();
} catch (error) {
  const { startFaultLine } = await import('./foreseen-faults.ts');
  const line = startFaultLine(error);
  console.error(line === undefined ? errorText(error) : `openperp: ${line}`);
  process.exitCode = 1;
}

/** Loads only the modules of the command: those of all commands would take most of the time of a short one. */
async function run(): Promise<void> {
  if (command === 'start') {
    const { runStart } = await import('./start.ts');
    await runStart(args);
  } else if (command === 'gateway') {
    const { runGateway } = await import('./gateway-command.ts');
    await runGateway(args);
  } else if (command === 'connect') {
    const { runConnect } = await import('./connect-command.ts');
    console.log(await runConnect(args, console.error));
  } else if (command === undefined || command === 'help' || command === '--help') {
    const { HELP } = await import('./operator-commands.ts');
    console.log(HELP);
  } else if (command === 'journal') {
    const { runJournalCommand } = await import('./journal-command.ts');
    const { text, stderrText, status } = await runJournalCommand(args);
    console.log(text);
    if (stderrText !== undefined) console.error(stderrText);
    process.exitCode = status;
  } else if (command === 'agents') {
    const { runAgentsCommand } = await import('./backtest-command.ts');
    const { steadyClock: clock, timers } = systemTime;
    const { text, status } = await runAgentsCommand(args, { clock, timers, environment: process.env, report: console.error });
    console.log(text);
    process.exitCode = status;
  } else if (command === 'projections') {
    const { runProjectionsCommand } = await import('./projections-command.ts');
    console.log(await runProjectionsCommand(args, console.error));
  } else {
    const { runOperatorCommand } = await import('./operator-command.ts');
    console.log(await runOperatorCommand([command, ...args]));
  }
}
