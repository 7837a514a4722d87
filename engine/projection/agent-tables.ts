/** The tables of agents and their indexes, which `schema.ts` includes. */
import type { AgentActionRow, AgentDeploymentRow, AgentDraftRow, AgentDraftStateRow } from './agent-rows.ts';
import type { TableShape } from './table.ts';

/** Numbers are assigned in order, so an index by owner or deployment has its rows in that order. */
export const AGENT_SCHEMA = `
CREATE TABLE agentDrafts (
  draft INTEGER PRIMARY KEY, account INTEGER NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL, textDigest TEXT NOT NULL,
  createdAtEpochMs INTEGER NOT NULL
) STRICT;

CREATE TABLE agentDraftStates (
  draft INTEGER PRIMARY KEY, account INTEGER NOT NULL, reviewDigest TEXT NOT NULL, reviewedAtEpochMs INTEGER,
  isRemoved INTEGER NOT NULL
) STRICT;
CREATE INDEX agentDraftsByAccount ON agentDraftStates (account) WHERE isRemoved = 0;

CREATE TABLE agentDeployments (
  deployment INTEGER PRIMARY KEY, account INTEGER NOT NULL, agentAccount INTEGER NOT NULL, draft INTEGER NOT NULL,
  market INTEGER NOT NULL, timeframeMs INTEGER NOT NULL, historyBars INTEGER NOT NULL, orderSizeAtoms INTEGER NOT NULL,
  parameters TEXT NOT NULL, strategySource TEXT NOT NULL, strategyVersion TEXT NOT NULL, modelId TEXT NOT NULL,
  textDigest TEXT NOT NULL, reviewDigest TEXT NOT NULL, state TEXT NOT NULL, stateVersion INTEGER NOT NULL, reason TEXT NOT NULL,
  lastBarEpochMs INTEGER NOT NULL, lastIndex INTEGER NOT NULL, positionBaseAtoms INTEGER NOT NULL,
  cashQuoteAtoms INTEGER NOT NULL, feesQuoteAtoms INTEGER NOT NULL, fillCount INTEGER NOT NULL,
  createdAtEpochMs INTEGER NOT NULL, updatedAtEpochMs INTEGER NOT NULL, lastSequence INTEGER NOT NULL
) STRICT;
CREATE INDEX agentDeploymentsByAccount ON agentDeployments (account);
CREATE INDEX openAgentDeployments ON agentDeployments (deployment) WHERE state IN ('pending', 'running');

CREATE TABLE agentActions (
  action INTEGER PRIMARY KEY, deployment INTEGER NOT NULL, account INTEGER NOT NULL, market INTEGER NOT NULL, kind TEXT NOT NULL,
  outcome TEXT NOT NULL, reason TEXT NOT NULL, stateVersion INTEGER, barEpochMs INTEGER, barIndex INTEGER, signal TEXT, side TEXT,
  quantityAtoms INTEGER, reduceOnly INTEGER, filledBaseAtoms INTEGER, filledNotionalAtoms INTEGER, feeAtoms INTEGER, fills INTEGER,
  worstPriceAtoms INTEGER, markPriceAtoms INTEGER, positionBaseAtoms INTEGER NOT NULL, cashQuoteAtoms INTEGER NOT NULL,
  feesQuoteAtoms INTEGER NOT NULL, fillCount INTEGER NOT NULL, recordedAtEpochMs INTEGER NOT NULL, sequence INTEGER NOT NULL
) STRICT;
CREATE INDEX agentActionsByDeployment ON agentActions (deployment);
`;

export const AGENT_DRAFTS: TableShape<AgentDraftRow> = {
  name: 'agentDrafts',
  key: ['draft'],
  changing: [],
  isLive: () => false,
};

export const AGENT_DRAFT_STATES: TableShape<AgentDraftStateRow> = {
  name: 'agentDraftStates',
  key: ['draft'],
  changing: ['reviewDigest', 'reviewedAtEpochMs', 'isRemoved'],
  isLive: () => false,
};

export const AGENT_DEPLOYMENTS: TableShape<AgentDeploymentRow> = {
  name: 'agentDeployments',
  key: ['deployment'],
  changing: [
    'state',
    'stateVersion',
    'reason',
    'lastBarEpochMs',
    'lastIndex',
    'positionBaseAtoms',
    'cashQuoteAtoms',
    'feesQuoteAtoms',
    'fillCount',
    'updatedAtEpochMs',
    'lastSequence',
  ],
  isLive: ({ state }) => state === 'pending' || state === 'running',
};

export const AGENT_ACTIONS: TableShape<AgentActionRow> = {
  name: 'agentActions',
  key: ['action'],
  changing: [],
  isLive: () => false,
};
