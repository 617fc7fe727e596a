import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const shared = { root: 'server', hookTimeout: 60_000, retry: 0 }

/** What takes long because it starts, kills, waits or restores again and again: `npm run proofs`. */
const proofs = [
  'test/bin/build.test.ts',
  'test/db/embedded.test.ts',
  'test/flows/killed-watcher.test.ts',
  'test/flows/paused-watcher.test.ts',
  'test/payouts/killed.test.ts',
  'test/process/*.test.ts',
  'test/signer/signer-process.test.ts',
]

/** The SDK as its examples import it. */
const ownName = { 'coffer-sdk': fileURLToPath(new URL('sdk/src/index.ts', import.meta.url)) }

const integration = {
  ...shared,
  globalSetup: ['test/support/global-setup.ts'],
  testTimeout: 60_000,
}

/** `tidy` reads sources only, `unit` needs nothing outside the process, `integration` starts real nodes and databases. */
export default defineConfig({
  test: {
    maxWorkers: 2,
    reporters: ['default', './server/test/support/report-skipped.ts'],
    projects: [
      { test: { ...shared, name: 'tidy', include: ['test/tidy/*.test.ts'] } },
      { test: { ...shared, name: 'unit', include: ['src/**/*.test.ts'] } },
      { test: { ...shared, name: 'sdk', root: 'sdk', include: ['src/**/*.test.ts'], alias: ownName } },
      {
        test: {
          ...integration,
          name: 'integration',
          include: ['test/**/*.test.ts'],
          exclude: ['test/tidy/**', ...proofs],
        },
      },
      { test: { ...integration, name: 'proofs', include: proofs } },
    ],
  },
})
