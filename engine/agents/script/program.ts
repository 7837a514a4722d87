/**
 * A checked script: names are resolved and types agree. Every value is a double: a bool is 0 or 1, `na` is NaN. Texts exist only as
 * constants. `check.ts` produces it, `machine.ts` runs it, `estimate.ts` measures it.
 */
import type { PriceName } from '#agents/indicators/bars.ts';
import type { IndicatorName } from '#agents/indicators/catalog.ts';
import type { MathName } from './arithmetic.ts';
import type { SourcePlace } from './refusal.ts';
import type { BinaryOperator } from './syntax.ts';

/** `direction` is `strategy.long` (1) or `strategy.short` (0); `drawing` is everything that only a chart shows; `na` fits numbers. */
export type ValueType = 'int' | 'float' | 'bool' | 'text' | 'direction' | 'drawing' | 'na';

/** When a value is known: in the source, once the parameters are chosen, or on each bar. */
export type Moment = 'source' | 'parameters' | 'bar';

export type Expression =
  /** A number, a bool or `na`. */
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'parameter'; readonly index: number }
  /** A variable that is never assigned again and known before the first bar. */
  | { readonly kind: 'constant'; readonly index: number }
  | { readonly kind: 'price'; readonly price: PriceChoice; readonly age: Age | null }
  | { readonly kind: 'position'; readonly of: PositionValue }
  | { readonly kind: 'variable'; readonly slot: number }
  | { readonly kind: 'past-variable'; readonly slot: number; readonly age: Age; readonly isBool: boolean }
  /** The value of an expression `age` evaluations before. */
  | { readonly kind: 'past'; readonly of: Expression; readonly age: Age; readonly isBool: boolean }
  | { readonly kind: 'negation'; readonly operand: Expression }
  | { readonly kind: 'not'; readonly operand: Expression }
  /** A number as a condition: not zero and not `na`. */
  | { readonly kind: 'truth'; readonly operand: Expression }
  | {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
      readonly form: BinaryForm;
    }
  | { readonly kind: 'choice'; readonly condition: Expression; readonly yes: Expression; readonly no: Expression }
  | { readonly kind: 'math'; readonly name: MathName; readonly operands: readonly Expression[] }
  | IndicatorCall
  | Chain;

/** How many bars back a value is, and where the script says so. */
export interface Age extends SourcePlace {
  readonly bars: Expression;
}

/** How an operator works on its operands, where they decide it. */
export type BinaryForm = 'numbers' | 'texts' | 'whole' | 'lazy' | 'strict';

export interface IndicatorCall extends SourcePlace {
  readonly kind: 'indicator';
  readonly name: IndicatorName;
  readonly inputs: readonly Expression[];
  /** Known before the first bar. */
  readonly settings: readonly IndicatorSetting[];
}

export interface IndicatorSetting {
  readonly kind: 'length' | 'count' | 'factor' | 'flag';
  readonly value: Expression;
}

export interface Chain {
  readonly kind: 'chain';
  readonly branches: readonly { readonly condition: Expression; readonly body: Block }[];
  readonly otherwise: Block | null;
}

/** Statements, and the value of the last one where a chain is used as a value. */
export interface Block {
  readonly statements: readonly Statement[];
  readonly value: Expression | null;
}

export type PriceChoice = { readonly name: PriceName } | { readonly parameter: number };

export type PositionValue = 'bar_index' | 'position_size' | 'position_avg_price' | 'opentrades' | 'mintick';

export type Statement =
  | { readonly kind: 'assign'; readonly slot: number; readonly value: Expression }
  /** `var`: assigns when it runs for the first time. */
  | { readonly kind: 'assign-once'; readonly slot: number; readonly value: Expression }
  | { readonly kind: 'assign-tuple'; readonly slots: readonly (number | null)[]; readonly call: IndicatorCall }
  | { readonly kind: 'evaluate'; readonly value: Expression }
  | {
      readonly kind: 'for';
      readonly place: SourcePlace;
      readonly slot: number;
      readonly from: Expression;
      readonly to: Expression;
      readonly by: Expression | null;
      readonly body: Block;
    }
  | { readonly kind: 'break' }
  | { readonly kind: 'continue' }
  | OrderStatement;

export type OrderStatement =
  | {
      readonly kind: 'entry';
      readonly id: Expression;
      readonly isLong: Expression;
      readonly quantity: Expression | null;
      readonly when: Expression | null;
    }
  | { readonly kind: 'close'; readonly id: Expression; readonly when: Expression | null }
  | { readonly kind: 'close-all'; readonly when: Expression | null }
  | {
      readonly kind: 'exit';
      readonly id: Expression;
      readonly fromEntry: Expression | null;
      readonly levels: Readonly<Partial<Record<ExitLevel, Expression>>>;
      /** In version 5 a price makes the distance in ticks ineffective; in version 6 the first of both counts (migration guide of version 6). */
      readonly prefersPrices: boolean;
      readonly when: Expression | null;
    };

/** The arguments of `strategy.exit` that decide when it exits. Ticks are of the market's tick size. */
export const EXIT_LEVELS = ['profit', 'limit', 'loss', 'stop', 'trail_price', 'trail_points', 'trail_offset'] as const;
export type ExitLevel = (typeof EXIT_LEVELS)[number];

/** A parameter with its bounds, as a strategy declares it by `input`. */
export type Parameter = {
  readonly name: string;
  readonly title: string;
} & (
  | {
      readonly kind: 'int' | 'float';
      readonly default: number;
      readonly min: number | null;
      readonly max: number | null;
      readonly step: number | null;
      readonly options: readonly number[] | null;
    }
  | { readonly kind: 'bool'; readonly default: boolean }
  | { readonly kind: 'text'; readonly default: string; readonly options: readonly string[] | null }
  | { readonly kind: 'source'; readonly default: PriceName; readonly options: readonly PriceName[] }
);

export interface Program {
  readonly title: string;
  readonly version: 5 | 6;
  readonly parameters: readonly Parameter[];
  /** In the order of their declaration: each uses only those before it. */
  readonly constants: readonly Expression[];
  /** How many variables there are. */
  readonly slots: number;
  readonly body: Block;
}
