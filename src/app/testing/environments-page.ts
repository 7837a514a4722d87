/** Generates the table of docs/environments.md: what only some environments have. */
import { ENVIRONMENTS, type EnvironmentScope, existsIn, PARTIAL_FEATURES } from '#contract/environments.ts';
import type { Operation } from '#contract/operation.ts';
import { OPERATIONS } from '#contract/operations.ts';
import type { Channel } from '#contract/realtime-channel.ts';
import { CHANNELS } from '#contract/realtime-channels.ts';
import { tableOf } from './markdown-table.ts';

export function environmentTable(): string {
  const rows = Object.values(PARTIAL_FEATURES).map((feature) => [
    feature.summary,
    ...ENVIRONMENTS.map((environment) => (existsIn(environment, feature) ? 'yes' : 'absent')),
    placesOf(feature).join(', ') || 'none in this release',
  ]);
  return tableOf(['what', ...ENVIRONMENTS, 'operations and channels'], rows);
}

function placesOf(feature: EnvironmentScope & { readonly part?: string }): readonly string[] {
  return feature.part === undefined ? declarationsOf(feature) : [feature.part];
}

/** The operations and channels that refer to the feature. */
function declarationsOf({ environments }: EnvironmentScope): readonly string[] {
  const isOf = (declared: EnvironmentScope) => declared.environments === environments;
  return [
    ...Object.values<Operation>(OPERATIONS)
      .filter(isOf)
      .map(({ method, path }) => `\`${method} ${path}\``),
    ...Object.values<Channel>(CHANNELS)
      .filter(isOf)
      .map(({ name }) => `\`${name}\``),
  ];
}
