/**
 * The process. `start` runs a venue; `gateway` serves /v2 in front of one; `connect` gets an API key of one; `journal` and `projections` work offline on a data
 * directory; `agents` works on files, or on what it reads of a venue; every other command goes to the running venue. Expected faults end in one line.
 */

import { errorText } from '#observability/error-text.ts';
import { systemTime } from '#time/system-time.ts';
import { runAgentsCommand } from './backtest-command.ts';
import { runConnect } from './connect-command.ts';
import { startFaultLine } from './foreseen-faults.ts';
import { runGateway } from './gateway-command.ts';
import { runJournalCommand } from './journal-command.ts';
import { runOperatorCommand } from './operator-command.ts';
import { HELP } from './operator-commands.ts';
import { runProjectionsCommand } from './projections-command.ts';
import { runStart } from './start.ts';

const written = process.argv.slice(2);
/** `help <command>` is `<command> --help`. */
const [command, ...args] = written[0] === 'help' && written.length > 1 ? [...written.slice(1), '--help'] : written;

try {
  if (command === 'start') await runStart(args);
  else if (command === 'gateway') await runGateway(args);
  else if (command === 'connect') console.log(await runConnect(args, console.error));
  else if (command === undefined || command === 'help' || command === '--help') console.log(HELP);
  else if (command === 'journal') {
    const { text, stderrText, status } = await runJournalCommand(args);
    console.log(text);
    if (stderrText !== undefined) console.error(stderrText);
    process.exitCode = status;
  } else if (command === 'agents') {
    const { steadyClock: clock, timers } = systemTime;
    const { text, status } = await runAgentsCommand(args, { clock, timers, environment: process.env, report: console.error });
    console.log(text);
    process.exitCode = status;
  } else if (command === 'projections') console.log(await runProjectionsCommand(args, console.error));
  else console.log(await runOperatorCommand([command, ...args]));
} catch (error) {
  const line = startFaultLine(error);
  console.error(line === undefined ? errorText(error) : `openperp: ${line}`);
  process.exitCode = 1;
}
