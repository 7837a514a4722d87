import { expect, test } from 'vitest';
import { MARKET_STATUSES } from '#venue/record/parts.ts';
import type { MarketActivity } from './market-status.ts';
import { isPermitted, isValidTransition } from './market-status.ts';
import type { IndexStatus, MarketStatus } from './specification.ts';

const ACTIVITIES: readonly MarketActivity[] = ['open_risk', 'reduce', 'cancel', 'liquidate', 'fund'];

function permitted(status: MarketStatus, indexStatus: IndexStatus, hasLiquidationDue = false): string {
  return ACTIVITIES.filter((activity) => isPermitted(activity, status, indexStatus, hasLiquidationDue)).join(' ');
}

test('permits the activities of each status', () => {
  expect(Object.fromEntries(MARKET_STATUSES.map((status) => [status, permitted(status, 'current')]))).toEqual({
    draft: 'cancel',
    open: 'open_risk reduce cancel liquidate fund',
    reduce_only: 'reduce cancel liquidate fund',
    cancel_only: 'cancel',
    closed: 'cancel',
  });
});

test('permits only reducing and cancelling without a current index, as far as the status does', () => {
  for (const indexStatus of ['stale', 'unconfirmed'] as const) {
    expect(permitted('open', indexStatus)).toBe('reduce cancel');
    expect(permitted('reduce_only', indexStatus)).toBe('reduce cancel');
    expect(permitted('cancel_only', indexStatus)).toBe('cancel');
  }
});

test('forbids only opening while liquidations are due', () => {
  expect(permitted('open', 'current', true)).toBe('reduce cancel liquidate fund');
  expect(permitted('reduce_only', 'current', true)).toBe('reduce cancel liquidate fund');
  expect(permitted('open', 'stale', true)).toBe('reduce cancel');
  expect(permitted('cancel_only', 'current', true)).toBe('cancel');
});

test('permits only the listed transitions, and no transition from closed', () => {
  const transitions = MARKET_STATUSES.flatMap((from) =>
    MARKET_STATUSES.filter((to) => isValidTransition(from, to)).map((to) => `${from} → ${to}`),
  );
  expect(transitions.sort()).toEqual([
    'cancel_only → closed',
    'cancel_only → open',
    'cancel_only → reduce_only',
    'draft → closed',
    'draft → open',
    'open → cancel_only',
    'open → reduce_only',
    'reduce_only → cancel_only',
    'reduce_only → open',
  ]);
});
