/**
 * The implicit methods of the class for Python: an entry for each path in `describe`, in the format of ccxt's
 * `build/generateImplicitAPI.ts`, which would load every exchange of its tree.
 */

/** The cost of a request, by kind, HTTP method and path. */
type Addresses = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, number>>>>>>>>;

export function writeImplicitApi(api: unknown): string {
  const lines: string[] = [];
  for (const [kind, methods] of Object.entries(api as Addresses))
    for (const [method, paths] of Object.entries(methods))
      for (const [path, config] of Object.entries(paths)) {
        const words = [kind, method, ...path.split(/[^\w]+|_/).filter((word) => word !== '')];
        const camel = words.map((word, index) => (index === 0 ? word : word[0]?.toUpperCase() + word.slice(1))).join('');
        const snake = words.map((word) => word.toLowerCase()).join('_');
        const costs = Object.entries(config).map(([key, value]) => `'${key}': ${value}`);
        lines.push(`    ${snake} = ${camel} = Entry('${path}', '${kind}', '${method.toUpperCase()}', {${costs.join(', ')}})`);
      }
  return ['from ccxt.base.types import Entry', '', '', 'class ImplicitAPI:', ...lines, ''].join('\n');
}
