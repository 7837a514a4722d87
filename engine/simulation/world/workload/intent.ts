/** An intent: which senders of a test world send a kind of command how often, and how it is made. */
import type { Command } from '#venue/command.ts';
import type { Scene, Sender } from './sender.ts';
import type { TradingStyle } from './trading-styles.ts';

interface Intent<Kind extends Command> {
  /** How often each trading style sends it, relative to its other commands. A style that is missing never sends it. */
  readonly weights: Partial<Record<TradingStyle, number>>;
  /** Makes a command of the sender; `undefined` if it has no command to send. */
  readonly make: (sender: Sender, scene: Scene) => Kind | undefined;
}

export type Intents = { readonly [Type in Command['type']]: Intent<Extract<Command, { type: Type }>> };
