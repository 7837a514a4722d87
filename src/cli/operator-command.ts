/**
 * The operator's commands on the command line: parses the arguments, sends the request to the running venue, returns the text to
 * print.
 */
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { DEFAULT_DATA_DIRECTORY, UsageFault, usageFaultOf } from '#app/config.ts';
import { problemText } from '#contract/parse.ts';
import { OperatorRefusal, type OperatorRequest, operatorAction } from '#operator/action.ts';
import { callOperator } from '#operator/client.ts';
import { COMMANDS, HELP, helpOf, type OperatorCommand, type OperatorOptions, optionName, usageOf } from './operator-commands.ts';
import { operatorText } from './operator-text.ts';

const HELP_COMMAND = 'npm run openperp -- help';
const MAX_ECHOED_LENGTH = 64;

/** Refusals after which the command may have been carried out, or may still be. */
const UNKNOWN_OUTCOMES: ReadonlySet<string> = new Set(['timeout', 'closed', 'failed', 'venue_halted']);

/** Returns the text to print. Rejects with a fault whose message is one line. Waits `timeoutMs` for the venue's response. */
export async function runOperatorCommand(args: readonly string[], timeoutMs?: number): Promise<string> {
  const { values, positionals } = parse(args);
  const name = positionals.slice(0, 2).join(' ');
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined && values.help === true && isCommandPrefix(name)) return HELP;
  if (command === undefined) throw new UsageFault(`unknown command: ${name}; see ${HELP_COMMAND}`);
  if (values.help === true) return helpOf(name, command);
  const help = `npm run openperp -- ${name} --help`;
  const operands = positionals.slice(2);
  if (operands.length !== command.operands.length) throw new UsageFault(`usage: ${usageOf(name, command)}; see ${help}`);
  const { 'data-dir': dataDirectory = DEFAULT_DATA_DIRECTORY, json, help: _, ...operatorOptions } = values;
  const foreign = Object.keys(operatorOptions).find((option) => !command.options.includes(option as keyof OperatorOptions));
  if (foreign !== undefined) throw new UsageFault(`${name} has no option --${foreign}; see ${help}`);
  const key = command.options.includes('key') ? (operatorOptions.key ?? randomUUID()) : undefined;
  const request = command.request(operands, { ...operatorOptions, key }) as OperatorRequest;
  refuseFaulty(request, command, operands, operatorOptions, help);
  const result = await callOperator(dataDirectory, request, timeoutMs).catch((error: unknown) => {
    throw error instanceof OperatorRefusal ? withKey(error, key) : error;
  });
  return json === true ? JSON.stringify(result, undefined, 2) : operatorText(result);
}

/** Whether some command starts with these words; true for no words. */
function isCommandPrefix(words: string): boolean {
  return words === '' || Object.keys(COMMANDS).some((name) => name.startsWith(`${words} `));
}

/** The venue validates the request as well; this check names the operand or option as the command line does. */
function refuseFaulty(
  request: OperatorRequest,
  { operands: names, options, ofNegative }: OperatorCommand,
  operands: readonly string[],
  operatorOptions: OperatorOptions,
  help: string,
): void {
  const parsed = operatorAction.safeParse(request);
  if (parsed.success) return;
  const [issue] = parsed.error.issues;
  const field = String(issue?.path[0]);
  const operand = names.indexOf(field);
  const option = options.find((name) => camelCase(name) === field);
  if (issue === undefined || (operand === -1 && option === undefined)) throw parsed.error;
  const [name, text] = option === undefined ? [`<${field}>`, operands[operand]] : [optionName(option), operatorOptions[option]];
  const advice = ofNegative !== undefined && isNegativeNumber(String(text)) ? `: ${ofNegative}` : '';
  throw new UsageFault(`${name} ${shown(String(text))} ${problemText(issue, text)}${advice}; see ${help}`);
}

function camelCase(option: string): string {
  return option.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Renders any text in one line. */
function shown(text: string): string {
  const shortened = text.length > MAX_ECHOED_LENGTH ? `${text.slice(0, MAX_ECHOED_LENGTH)}…` : text;
  if (/^[\x21-\x7e]+…?$/.test(shortened)) return shortened;
  return JSON.stringify(shortened).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);
}

/** If the outcome is unknown, adds how to repeat the command safely. */
function withKey({ code, message }: OperatorRefusal, key: string | undefined): OperatorRefusal {
  if (key === undefined || !UNKNOWN_OUTCOMES.has(code)) return new OperatorRefusal(code, message);
  const sentence = message.replace(/\.$/, '');
  return new OperatorRefusal(code, `${sentence}; it may have been carried out: to repeat it safely, add --key ${key}`);
}

/** `parseArgs` would read it as a one-letter option. */
function isNegativeNumber(text: string): boolean {
  return /^-\.?[0-9]/.test(text);
}

/** Prefixes a negative number while the arguments are parsed: no process argument can contain this character. */
const MASK = '\0';

function unmasked<Value>(value: Value): Value {
  return (typeof value === 'string' && value.startsWith(MASK) ? value.slice(MASK.length) : value) as Value;
}

function parse(args: readonly string[]) {
  const { values, positionals } = parseMasked(args.map((arg) => (isNegativeNumber(arg) ? `${MASK}${arg}` : arg)));
  const unmaskedValues = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, unmasked(value)]));
  return { values: unmaskedValues as typeof values, positionals: positionals.map(unmasked) };
}

function parseMasked(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      allowNegative: true,
      options: {
        'data-dir': { type: 'string' },
        json: { type: 'boolean' },
        help: { type: 'boolean' },
        label: { type: 'string' },
        credit: { type: 'string' },
        scopes: { type: 'string' },
        'expires-at': { type: 'string' },
        party: { type: 'boolean' },
        legacy: { type: 'boolean' },
        reference: { type: 'string' },
        limit: { type: 'string' },
        after: { type: 'string' },
        'after-offset': { type: 'string' },
        set: { type: 'string' },
        file: { type: 'string' },
        key: { type: 'string' },
      },
    });
  } catch (error) {
    throw usageFaultOf(error, HELP_COMMAND);
  }
}
