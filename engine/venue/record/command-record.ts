/**
 * Commands as bytes and back, by the layouts of `command-rules.ts`. A command is written before the venue has looked at it,
 * so its numbers are kept exactly, however wrong they are.
 */
import type { Command } from '#venue/command.ts';
import { COMMANDS } from '#venue/command-rules.ts';
import type { ByteReader, ByteWriter } from './cursor.ts';
import { layoutsOf, RecordFormat } from './layout.ts';

const FORMAT = new RecordFormat<Command>('command', layoutsOf(COMMANDS));

export function writeCommand(bytes: ByteWriter, command: Command): void {
  FORMAT.write(bytes, command);
}

/** Throws `MalformedRecord` for bytes that are no command. */
export function readCommand(bytes: ByteReader): Command {
  return FORMAT.read(bytes);
}

/** The type of the command that begins at `offset`. */
export function commandTypeAt(bytes: Uint8Array, offset: number): Command['type'] {
  return FORMAT.typeAt(bytes, offset);
}
