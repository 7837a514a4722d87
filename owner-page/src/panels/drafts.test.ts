/** Drafts: their form, a refused script, the confirmation of a review, and a deployment. */
import { beforeEach, describe, expect, test } from 'vitest';
import { AgentMoneyOperations } from '#owner-page/src/venue/agent-money-operations.ts';
import { AgentOperations } from '#owner-page/src/venue/agent-operations.ts';
import { DEPLOYMENT, DRAFT, MARKET } from '#owner-page/testing/agent-resources.ts';
import { RecordedPage, ScriptedVenue } from '#owner-page/testing/scripted-venue.ts';
import { DeployPanel } from './deploy.ts';
import { DraftPanel } from './draft.ts';
import { DraftsPanel } from './drafts.ts';

const ACCOUNT = '/v1/accounts/acct-7';
const DRAFTS = `${ACCOUNT}/agent-drafts`;

let venue: ScriptedVenue;
let page: RecordedPage;
let operations: AgentOperations;

beforeEach(() => {
  venue = new ScriptedVenue();
  page = new RecordedPage();
  operations = new AgentOperations(venue.client, 'acct-7');
});

describe('the form of a draft', () => {
  let drafts: DraftsPanel;
  let drafted: string[];

  beforeEach(() => {
    drafts = new DraftsPanel(page, operations);
    drafted = [];
    drafts.onDrafted = (draftId) => drafted.push(draftId);
    venue.on(`GET ${DRAFTS}`, { drafts: [] });
  });

  test('is filled in from a strategy, which stores nothing', () => {
    drafts.startFrom({ name: 'x'.repeat(70), script: 'strategy("S")' });
    expect([drafts.name.length, drafts.text, venue.sent, page.focused]).toEqual([64, 'strategy("S")', [], ['draft-name']]);
  });

  test('sends name and script, and opens the draft', async () => {
    venue.on(`POST ${DRAFTS}`, DRAFT);
    drafts.startFrom({ name: ' first ', script: 'strategy("S")' });
    await drafts.create();
    expect(venue.bodiesOf(`POST ${DRAFTS}`)).toEqual([{ name: 'first', text: 'strategy("S")' }]);
    expect([drafted, drafts.name, drafts.text]).toEqual([['3'], '', '']);
  });

  test('sends nothing that lacks a name or a script', async () => {
    await drafts.create();
    expect([drafts.nameFailure, drafts.textFailure, page.focused]).toEqual([
      expect.any(String),
      expect.any(String),
      ['draft-name'],
    ]);
    expect(venue.sent).toEqual([]);
  });

  test('shows the places of a refused script until the next attempt', async () => {
    const scriptRefusals = [{ line: 3, column: 9, reason: 'no', remedy: 'Remove it.' }];
    venue.on(`POST ${DRAFTS}`, { status: 400, code: 'agent_script_refused', scriptRefusals }, DRAFT);
    drafts.startFrom({ name: 'first', script: 'a\nb\nc' });
    await drafts.create();
    expect(drafts.refused).toEqual({ text: 'a\nb\nc', refusals: scriptRefusals });
    expect([drafts.failure, drafts.text, page.focused.at(-1)]).toEqual([undefined, 'a\nb\nc', 'script-refusals']);
    await drafts.create();
    expect([drafts.refused, drafted]).toEqual([undefined, ['3']]);
  });

  test('repeats a request whose response was lost under its key, and a changed one under another', async () => {
    venue.on(`POST ${DRAFTS}`, new TypeError('Failed to fetch'), new TypeError('Failed to fetch'), DRAFT, DRAFT);
    for (const text of ['a', 'a', 'b']) {
      drafts.startFrom({ name: 'first', script: text });
      await drafts.create();
    }
    drafts.startFrom({ name: 'first', script: 'b' });
    await drafts.create();
    const keys = venue.sent.filter(({ route }) => route === `POST ${DRAFTS}`).map(({ idempotencyKey }) => idempotencyKey);
    expect([keys[1] === keys[0], keys[2] === keys[0], keys[3] === keys[2]]).toEqual([true, false, false]);
  });

  test('says why a draft is not removed', async () => {
    venue.on(`DELETE ${DRAFTS}/3`, { status: 409, code: 'agent_draft_in_use' });
    await drafts.remove('3');
    expect(drafts.failure).toBe('refused: agent_draft_in_use');
  });
});

describe('a review', () => {
  let draft: DraftPanel;
  let ready: number;

  beforeEach(() => {
    draft = new DraftPanel(page, operations, '3');
    ready = 0;
    draft.onReady = () => {
      ready += 1;
    };
  });

  test('is confirmed by its digest', async () => {
    venue.on(`GET ${DRAFTS}/3`, DRAFT).on(`POST ${DRAFTS}/3/review`, { ...DRAFT, confirmedReviewDigest: 'digest-1' });
    await draft.load();
    expect([draft.isConfirmed, ready]).toEqual([false, 0]);
    await draft.confirm();
    expect(venue.bodiesOf(`POST ${DRAFTS}/3/review`)).toEqual([{ reviewDigest: 'digest-1' }]);
    expect([draft.isConfirmed, ready, page.focused]).toEqual([true, 1, ['deploy']]);
  });

  test('that an earlier release made is not that of now', async () => {
    venue.on(`GET ${DRAFTS}/3`, { ...DRAFT, confirmedReviewDigest: 'digest-0' });
    await draft.load();
    expect(draft.isConfirmed).toBe(false);
  });

  test('that changed meanwhile is shown again', async () => {
    venue.on(`GET ${DRAFTS}/3`, DRAFT, { ...DRAFT, reviewDigest: 'digest-2' });
    venue.on(`POST ${DRAFTS}/3/review`, { status: 409, code: 'agent_review_changed' });
    await draft.load();
    await draft.confirm();
    expect([draft.failure, draft.draft?.reviewDigest]).toEqual(['refused: agent_review_changed', 'digest-2']);
  });
});

describe('a deployment', () => {
  const VALID = {
    account: 'acct-9',
    timeframe: '1m',
    history: '300',
    size: '0.05',
    'input-length': '5',
    'input-factor': '-2.25',
    'input-isOn': 'on',
    'input-source': 'hl2',
  };
  let deploy: DeployPanel;
  let deployed: string[];

  beforeEach(async () => {
    deploy = new DeployPanel(page, operations, new AgentMoneyOperations(venue.client, 'acct-7'));
    deployed = [];
    deploy.onDeployed = (deploymentId) => deployed.push(deploymentId);
    venue.on('GET /v1/markets', { markets: [{ ...MARKET, marketId: 'NEW', status: 'draft' }, MARKET] });
    const accounts = ['identity_ready', 'retired'].map((status, index) => ({ agentAccountId: `acct-${9 + index}`, status }));
    venue.on(`GET ${ACCOUNT}/agent-accounts`, { agentAccounts: accounts });
    venue.on(`POST ${ACCOUNT}/agents`, { deployment: DEPLOYMENT });
    await deploy.load();
  });

  const send = (changes: Readonly<Record<string, string>> = {}) => {
    const fields: Readonly<Record<string, string>> = { ...VALID, ...changes };
    return deploy.deploy(DRAFT, (name) => fields[name] ?? '');
  };

  test('offers markets that are listed and accounts that are ready', () => {
    expect([deploy.markets, deploy.market?.marketId]).toEqual([[MARKET], 'BTC-USD-PERP']);
    expect(deploy.accounts.map(({ agentAccountId }) => agentAccountId)).toEqual(['acct-9']);
  });

  test('sends the terms with the size in atoms and each input', async () => {
    await send();
    expect(venue.bodiesOf(`POST ${ACCOUNT}/agents`)).toEqual([
      {
        agentAccountId: 'acct-9',
        draftId: '3',
        marketId: 'BTC-USD-PERP',
        timeframe: '1m',
        historyBars: 300,
        orderSizeAtoms: '500',
        inputs: [
          { name: 'length', value: 5 },
          { name: 'factor', value: -2.25 },
          { name: 'isOn', value: true },
          { name: 'source', value: 'hl2' },
        ],
      },
    ]);
    expect(deployed).toEqual(['7']);
  });

  test.each([
    [{ account: '' }, 'account', /^Open an agent account/],
    [{ size: '0.00005' }, 'size', /^Enter 0.001 to 10 BTC, with at most 4 decimals/],
    [{ size: '10.0001' }, 'size', /^Enter 0.001 to 10/],
    [{ history: '5001' }, 'history', /^Enter a whole number from 1 to 5000/],
    [{ history: '1.5' }, 'history', /^Enter a whole number/],
    [{ 'input-length': '201' }, 'input-length', /^Enter a whole number from 2 to 200/],
    [{ 'input-length': '5.5' }, 'input-length', /^Enter a whole number/],
    [{ 'input-factor': '1e3' }, 'input-factor', /^Enter a number/],
  ])('does not send %o', async (changes, name, text) => {
    await send(changes);
    expect([...deploy.faults]).toEqual([[name, expect.stringMatching(text)]]);
    expect([page.focused.at(-1), venue.bodiesOf(`POST ${ACCOUNT}/agents`)]).toEqual([`deploy-${name}`, []]);
  });
});
