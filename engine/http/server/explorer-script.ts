/**
 * The script of the page at /docs. It stores no key and loads no URL that a visitor supplies. Values that must be new in each
 * request are generated on sending, because a prefilled one could be sent only once. `crypto.randomUUID` is not available without
 * https.
 */
import { authOperations } from '#contract/auth.ts';
import { PLACEHOLDERS } from '#contract/placeholders.ts';

/**
 * When a key is authorized, its account replaces the placeholder account in the document, and so in operations opened later, and
 * in the fields of open ones. A refused key changes nothing: the first request shows why.
 */
const ACCOUNT_OF_KEY = `let account = '${PLACEHOLDERS.accountId}';
let published;

const fillIn = (next, { specSelectors, specActions, oas3Selectors, oas3Actions }) => {
  const previous = account;
  account = next;
  const replaced = (json, from) => json.replaceAll(\`"\${from}"\`, \`"\${next}"\`);
  published ??= JSON.stringify(specSelectors.specJson());
  const spec = JSON.parse(replaced(published, '${PLACEHOLDERS.accountId}'));
  specActions.updateJsonSpec(spec);
  for (const [path, operations] of Object.entries(spec.paths))
    for (const method of Object.keys(operations)) {
      const operation = [path, method];
      for (const { name, in: place } of operations[method].parameters ?? []) {
        const shown = specSelectors.parameterValues(operation).get(\`\${place}.\${name}\`);
        if (shown === previous) specActions.changeParam(operation, name, place, next, false);
      }
      const body = oas3Selectors.requestBodyValue(path, method);
      if (typeof body === 'string') oas3Actions.setRequestBodyValue({ value: replaced(body, previous), pathMethod: operation });
    }
};

const accountOfKey = (system) => ({
  statePlugins: {
    auth: {
      wrapActions: {
        authorize: (authorize) => async (given) => {
          authorize(given);
          const headers = { authorization: \`Bearer \${given.bearer?.value}\` };
          const response = await fetch('${authOperations.getCurrentApiKey.path}', { headers });
          if (response.ok) fillIn((await response.json()).accountId, system);
        },
        logout: (logout) => (names) => {
          logout(names);
          fillIn('${PLACEHOLDERS.accountId}', system);
        },
      },
    },
  },
});
`;

export const EXPLORER_SCRIPT = `const fresh = () => crypto.getRandomValues(new Uint32Array(4)).join('-');
const idempotencyKey = '${PLACEHOLDERS.idempotencyKey}';
const clientOrderId = '${PLACEHOLDERS.newClientOrderId}';
${ACCOUNT_OF_KEY}
SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#explorer',
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: 'list',
  filter: true,
  persistAuthorization: false,
  plugins: [accountOfKey],
  queryConfigEnabled: false,
  requestInterceptor: (request) => {
    if (request.headers?.['Idempotency-Key'] === idempotencyKey) request.headers['Idempotency-Key'] = fresh();
    if (typeof request.body === 'string') request.body = request.body.replaceAll(clientOrderId, fresh);
    return request;
  },
  tryItOutEnabled: true,
  validatorUrl: null,
});
`;
