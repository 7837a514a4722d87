/**
 * Plants exceptions in functions of the product by name: `vi.mock(path, async (load) => planted.in(await load()))`. The product
 * needs no hook.
 */

export class PlantedException extends Error {
  override readonly name = 'PlantedException';
}

export class PlantedExceptions {
  readonly #plans = new Map<string, { passes: number; throws: number }>();

  /** Wraps the module: its functions throw if an exception is planted. */
  in<Module extends object>(module: Module): Module {
    const entries = Object.entries(module).map(([name, exported]) => [
      name,
      typeof exported === 'function' && !isClass(exported) ? this.#throwing(name, exported) : exported,
    ]);
    return Object.fromEntries(entries) as Module;
  }

  /** After `passes` calls of the function, the next `throws` calls throw. */
  plant(name: string, throws = 1, passes = 0): void {
    this.#plans.set(name, { passes, throws });
  }

  /** Throws if an exception is planted under this name. */
  meet(name: string): void {
    const plan = this.#plans.get(name);
    if (plan === undefined || plan.throws === 0) return;
    if (plan.passes > 0) plan.passes -= 1;
    else {
      plan.throws -= 1;
      throw new PlantedException(`planted in ${name}: /secret/path`);
    }
  }

  clear(): void {
    this.#plans.clear();
  }

  #throwing(name: string, real: unknown) {
    return (...given: unknown[]) => {
      this.meet(name);
      return (real as (...given: unknown[]) => unknown)(...given);
    };
  }
}

function isClass(exported: unknown): boolean {
  return /^class\b/.test(Function.prototype.toString.call(exported));
}
