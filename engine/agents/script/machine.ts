/**
 * Compiles a program into functions over the cells of one run. Work is charged by statement before it is done, so no bar exceeds its
 * fuel. Nothing is compiled as code of the host language.
 */
import { Bars } from '#agents/indicators/bars.ts';
import { INDICATORS } from '#agents/indicators/catalog.ts';
import type { Cells } from '#agents/indicators/cells.ts';
import { Window } from '#agents/indicators/window.ts';
import { BINARY_OPERATIONS, finite, MATH_FUNCTIONS } from './arithmetic.ts';
import { isTrue } from './constant.ts';
import type { ProgramLayout } from './layout.ts';
import { LIMITS } from './limits.ts';
import type { DeskPosition, OrderDesk } from './order-desk.ts';
import { compileOrder } from './order-statements.ts';
import type { Age, Block, Chain, Expression, IndicatorCall, PositionValue, Program, Statement } from './program.ts';
import { isKnown } from './program-walk.ts';
import { RunFault } from './run-fault.ts';

export type Evaluate = () => number;
/** What a loop does after a statement. */
type Flow = 'next' | 'break' | 'continue';
type Execute = () => Flow;

export interface MachineMarket {
  readonly quantityScale: number;
  /** The tick size as a price. */
  readonly tick: number;
}

export class Machine {
  readonly bars: Bars;
  readonly #cells: Cells;
  readonly #layout: ProgramLayout;
  readonly #desk: OrderDesk;
  readonly #market: MachineMarket;
  readonly #slots: Float64Array;
  readonly #histories: { readonly slot: number; readonly window: Window }[] = [];
  readonly #run: Execute;
  #position: DeskPosition = { size: 0, averagePrice: Number.NaN };
  #fuel = 0;

  /** Throws `CellsExceeded` if the program needs too much memory. */
  constructor(program: Program, layout: ProgramLayout, cells: Cells, desk: OrderDesk, market: MachineMarket) {
    this.#layout = layout;
    this.#cells = cells;
    this.#desk = desk;
    this.#market = market;
    this.bars = new Bars(cells, layout.barsDepth);
    this.#slots = cells.take(program.slots, Number.NaN);
    for (const [slot, depth] of layout.slotDepths) this.#histories.push({ slot, window: new Window(cells, depth) });
    this.#run = this.#block(program.body);
  }

  /** Runs the script for the newest bar and returns the used fuel. Throws {@link RunFault}. */
  run(position: DeskPosition): number {
    this.#position = position;
    this.#fuel = LIMITS.fuelPerBar;
    this.#run();
    for (const { slot, window } of this.#histories) window.push(this.#slots[slot]!);
    return LIMITS.fuelPerBar - this.#fuel;
  }

  #charge(cost: number): void {
    this.#fuel -= cost;
    if (this.#fuel < 0) throw new RunFault('fuel', `the script needs more than ${LIMITS.fuelPerBar} units of work on one bar`);
  }

  #block({ statements }: Block): Execute {
    const compiled = statements.map((statement) => {
      return { cost: this.#layout.costOfStatement(statement), execute: this.#statement(statement) };
    });
    return () => {
      for (const { cost, execute } of compiled) {
        this.#charge(cost);
        const flow = execute();
        if (flow !== 'next') return flow;
      }
      return 'next';
    };
  }

  #statement(statement: Statement): Execute {
    const slots = this.#slots;
    switch (statement.kind) {
      case 'assign': {
        const value = this.#expression(statement.value);
        return doing(() => {
          slots[statement.slot] = value();
        });
      }
      case 'assign-once': {
        const value = this.#expression(statement.value);
        const isDone = this.#cells.take(1);
        return doing(() => {
          if (isDone[0] === 1) return;
          slots[statement.slot] = value();
          isDone[0] = 1;
        });
      }
      case 'assign-tuple': {
        const { advance, results } = this.#indicator(statement.call);
        return doing(() => {
          advance();
          for (const [index, slot] of statement.slots.entries()) if (slot !== null) slots[slot] = results[index]!;
        });
      }
      case 'evaluate': {
        if (statement.value.kind === 'chain') return this.#chain(statement.value);
        const value = this.#expression(statement.value);
        return doing(() => void value());
      }
      case 'for':
        return this.#for(statement);
      case 'break':
      case 'continue':
        return () => statement.kind;
      default: {
        const order = compileOrder(statement, this.#desk, this.#layout.constants, this.#market.quantityScale, (it) =>
          this.#expression(it),
        );
        return doing(order);
      }
    }
  }

  /** Counts up, or down if the end is below the start. The bounds are read once. */
  #for(statement: Statement & { readonly kind: 'for' }): Execute {
    const from = this.#expression(statement.from);
    const to = this.#expression(statement.to);
    const by = statement.by === null ? () => 1 : this.#expression(statement.by);
    const body = this.#block(statement.body);
    const { slot, place } = statement;
    return doing(() => {
      const last = to();
      const step = by();
      let counter = from();
      if (!(step > 0)) throw new RunFault('loop', `the step of the loop in line ${place.line} is not above zero`);
      const isRising = counter <= last;
      while (isRising ? counter <= last : counter >= last) {
        this.#charge(1);
        this.#slots[slot] = counter;
        if (body() === 'break') return;
        counter = finite(isRising ? counter + step : counter - step);
      }
    });
  }

  #chain({ branches, otherwise }: Chain): Execute {
    const compiled = branches.map(({ condition, body }) => ({ condition: this.#expression(condition), body: this.#block(body) }));
    const last = otherwise === null ? null : this.#block(otherwise);
    return () => {
      for (const { condition, body } of compiled) if (condition() === 1) return body();
      return last === null ? 'next' : last();
    };
  }

  #chainValue({ branches, otherwise }: Chain): Evaluate {
    const valueIn = (block: Block): Evaluate => {
      const body = this.#block(block);
      const cost = block.value === null ? 0 : this.#layout.costOf(block.value);
      const value = block.value === null ? () => Number.NaN : this.#expression(block.value);
      return () => {
        body();
        this.#charge(cost);
        return value();
      };
    };
    const compiled = branches.map(({ condition, body }) => ({ condition: this.#expression(condition), value: valueIn(body) }));
    const last = otherwise === null ? () => Number.NaN : valueIn(otherwise);
    return () => (compiled.find(({ condition }) => condition() === 1)?.value ?? last)();
  }

  #expression(expression: Expression): Evaluate {
    switch (expression.kind) {
      case 'number':
      case 'text':
      case 'parameter':
      case 'constant': {
        const value = this.#layout.constants.numberOf(expression);
        return () => value;
      }
      case 'variable':
        return () => this.#slots[expression.slot]!;
      case 'position':
        return this.#positionValue(expression.of);
      case 'price':
        return this.#price(expression);
      case 'past-variable':
        return this.#pastVariable(expression);
      case 'past':
        return this.#past(expression);
      case 'negation': {
        const operand = this.#expression(expression.operand);
        return () => -operand();
      }
      case 'not': {
        const operand = this.#expression(expression.operand);
        return () => (operand() === 1 ? 0 : 1);
      }
      case 'truth': {
        const operand = this.#expression(expression.operand);
        return () => isTrue(operand());
      }
      case 'binary':
        return this.#binary(expression);
      case 'choice': {
        const condition = this.#expression(expression.condition);
        const yes = this.#expression(expression.yes);
        const no = this.#expression(expression.no);
        return () => (condition() === 1 ? yes() : no());
      }
      case 'math': {
        const operands = expression.operands.map((operand) => this.#expression(operand));
        const calculate = MATH_FUNCTIONS[expression.name];
        return () => calculate(operands.map((operand) => operand()));
      }
      case 'indicator': {
        const { advance, results } = this.#indicator(expression);
        return () => {
          advance();
          return results[0]!;
        };
      }
      case 'chain':
        return this.#chainValue(expression);
    }
  }

  #binary(expression: Expression & { readonly kind: 'binary' }): Evaluate {
    if (isKnown(expression)) {
      const value = this.#layout.constants.numberOf(expression);
      return () => value;
    }
    const { operator, form } = expression;
    const left = this.#expression(expression.left);
    const right = this.#expression(expression.right);
    if (operator === 'and' || operator === 'or') {
      const decides = operator === 'and' ? 0 : 1;
      return () => {
        const first = left();
        if (form === 'lazy' && first === decides) return decides;
        const second = right();
        return first === decides ? decides : second;
      };
    }
    const calculate = BINARY_OPERATIONS[operator];
    return () => calculate(left(), right());
  }

  #positionValue(of: PositionValue): Evaluate {
    switch (of) {
      case 'bar_index':
        return () => this.bars.index;
      case 'position_size':
        return () => this.#position.size;
      case 'position_avg_price':
        return () => this.#position.averagePrice;
      case 'opentrades':
        return () => (this.#position.size === 0 ? 0 : 1);
      case 'mintick':
        return () => this.#market.tick;
    }
  }

  #price({ price, age }: Expression & { readonly kind: 'price' }): Evaluate {
    const { bars } = this;
    const name = 'name' in price ? price.name : this.#layout.constants.sourceOf(price.parameter);
    if (age === null) return () => bars.at(name, 0);
    const back = this.#age(age);
    return () => bars.at(name, back());
  }

  #pastVariable({ slot, age, isBool }: Expression & { readonly kind: 'past-variable' }): Evaluate {
    const back = this.#age(age);
    const { window } = this.#histories.find((history) => history.slot === slot)!;
    return () => {
      const bars = back();
      const value = bars === 0 ? this.#slots[slot]! : window.at(bars - 1);
      return isBool ? isTrue(value) : value;
    };
  }

  #past({ of, age, isBool }: Expression & { readonly kind: 'past' }): Evaluate {
    const value = this.#expression(of);
    const back = this.#age(age);
    const window = new Window(this.#cells, this.#layout.depthOf(age) + 1);
    return () => {
      window.push(value());
      const past = window.at(back());
      return isBool ? isTrue(past) : past;
    };
  }

  /** How many bars back, rounded down. */
  #age(age: Age): Evaluate {
    const bars = this.#expression(age.bars);
    return () => {
      const back = Math.floor(bars());
      if (back >= 0 && back <= LIMITS.historyBars) return back;
      throw new RunFault(
        'history',
        `line ${age.line} reads ${Number.isNaN(back) ? 'na' : back} bars back, the limit is ${LIMITS.historyBars}`,
      );
    };
  }

  #indicator(call: IndicatorCall): { readonly advance: () => void; readonly results: Float64Array } {
    const operands = call.inputs.map((input) => this.#expression(input));
    const inputs = new Float64Array(operands.length);
    const results = new Float64Array(3);
    const step = INDICATORS[call.name].create(this.#cells, this.#layout.settingsOf(call));
    const advance = () => {
      for (let index = 0; index < operands.length; index += 1) inputs[index] = operands[index]!();
      step(inputs, this.bars, results);
      for (let index = 0; index < results.length; index += 1) results[index] = finite(results[index]!);
    };
    return { advance, results };
  }
}

function doing(act: () => void): Execute {
  return () => {
    act();
    return 'next';
  };
}
