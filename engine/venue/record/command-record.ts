/**
 * Writes and reads commands by the layouts of `command-rules.ts`. A command is written before the venue validates it, so its numbers
 * are stored exactly, also if they are out of bounds.
 */
import type { Command } from '#venue/command.ts';
import { COMMANDS } from '#venue/command-rules.ts';
import type { ByteReader, ByteWriter } from './cursor.ts';
import { layoutsOf, RecordFormat } from './layout.ts';

const FORMAT = new RecordFormat<Command>('command', layoutsOf(COMMANDS));

export function writeCommand(bytes: ByteWriter, command: Command): void {
  FORMAT.write(bytes, command);
}

/** Throws `MalformedRecord` if the bytes are not a command. */
export function readCommand(bytes: ByteReader): Command {
  return FORMAT.read(bytes);
}

/** The type of the command at `offset`. */
export function commandTypeAt(bytes: Uint8Array, offset: number): Command['type'] {
  return FORMAT.typeAt(bytes, offset);
}
