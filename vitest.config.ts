import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'engine/**/*.test.ts', 'gateway/**/*.test.ts', 'compat-tests/**/*.test.ts', '.ci/**/*.test.ts'],
    reporters: ['default', './.ci/closing-count.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
