import { defineConfig } from 'vitest/config'

const shared = { root: 'server', hookTimeout: 60_000, retry: 0 }

/** `tidy` reads sources only, `unit` needs nothing outside the process, `integration` starts real nodes and databases. */
export default defineConfig({
  test: {
    maxWorkers: 2,
    reporters: ['default', './server/test/support/report-skipped.ts'],
    projects: [
      { test: { ...shared, name: 'tidy', include: ['test/tidy/*.test.ts'] } },
      { test: { ...shared, name: 'unit', include: ['src/**/*.test.ts'] } },
      { test: { ...shared, name: 'sdk', root: 'sdk', include: ['src/**/*.test.ts'] } },
      {
        test: {
          ...shared,
          name: 'integration',
          include: ['test/**/*.test.ts'],
          exclude: ['test/tidy/**'],
          globalSetup: ['test/support/global-setup.ts'],
          testTimeout: 60_000,
        },
      },
    ],
  },
})
