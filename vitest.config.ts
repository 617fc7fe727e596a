import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** A condition that a test polls may take long on a busy host. The default limit of one second is too short. */
const patient = { poll: { timeout: 20_000 } }

const shared = { root: 'server', hookTimeout: 60_000, retry: 0, expect: patient }

/**
 * The files of a project share the modules of a worker: loading them anew for each file would take a third of
 * the whole time. A test that changes something of the process restores it. The time limit is only for tests
 * that hang, because reading the whole repository takes a minute on a busy host.
 */
const sharing = { ...shared, isolate: false, testTimeout: 240_000 }

/** Tests that take longest, in the parts of `npm run nightly`. */
const nightly = {
  killed: [
    'test/flows/killed-watcher.test.ts',
    'test/outgoing/killed.test.ts',
    'test/outgoing/killed-utxo.test.ts',
    'test/process/crash.test.ts',
    'test/process/killed-dispatchers.test.ts',
    'test/process/killed-payouts.test.ts',
  ],
  restored: ['test/process/restore.test.ts', 'test/process/restored-payouts.test.ts'],
  sandbox: ['test/process/sandbox-litecoin.test.ts', 'test/process/time-to-alert.test.ts'],
  recipes: ['test/recipes/*.test.ts'],
  scale: ['test/flows/dust.test.ts', 'test/outgoing/many-utxos.test.ts'],
  failover: ['test/recovery/failover-drill.test.ts'],
  packages: ['test/bin/sdk-package.test.ts'],
  processes: [
    'test/db/embedded.test.ts',
    'test/flows/paused-watcher.test.ts',
    'test/models/payout-protocol.test.ts',
    'test/outgoing/soak.test.ts',
    'test/process/commands.test.ts',
    'test/process/demo.test.ts',
    'test/process/lost-parts.test.ts',
    'test/process/operator-approval.test.ts',
    'test/process/output.test.ts',
    'test/process/own-legacy-network.test.ts',
    'test/process/own-networks.test.ts',
    'test/process/production.test.ts',
    'test/process/production-own-rows.test.ts',
    'test/process/refusals.test.ts',
    'test/process/resume-halts.test.ts',
    'test/process/roles.test.ts',
    'test/process/sandbox-webhooks.test.ts',
    'test/process/secrets.test.ts',
    'test/process/signer-child.test.ts',
    'test/process/two-apis.test.ts',
    'test/process/two-networks.test.ts',
    'test/process/users.test.ts',
    'test/recovery/promotion.test.ts',
    'test/signer/signer-process.test.ts',
  ],
  browser: [
    'test/e2e/checkout-languages.test.ts',
    'test/e2e/checkout-litecoin.test.ts',
    'test/e2e/checkout-modal.test.ts',
    'test/e2e/checkout-networks.test.ts',
    'test/e2e/dashboard.test.ts',
    'test/e2e/hostile.test.ts',
    'test/e2e/merchant-scenarios.test.ts',
    'test/e2e/operator-scenarios.test.ts',
  ],
}

/**
 * Tests that take long because they start, kill, wait or restore again and again: `npm run proofs`. A new test of
 * whole processes is one of them until it is put into a part of the nightly run.
 */
const proofs = [
  'test/bin/build.test.ts',
  'test/flows/money-stories.test.ts',
  'test/process/*.test.ts',
  'test/simulation/short-run.test.ts',
]

/**
 * Proofs of promises that hold on an idle machine. They run after all other proofs, because a test beside
 * them would take the processor time that they measure.
 */
const timedProofs = ['test/process/killed-verify.test.ts', 'test/process/start-stop.test.ts']

/** Resolves the SDK as its examples and the dashboard import it. */
const ownName = { 'coffer-sdk': fileURLToPath(new URL('sdk/src/index.ts', import.meta.url)) }

const integration = {
  ...shared,
  globalSetup: ['test/support/global-setup.ts'],
  testTimeout: 60_000,
}

/** A test that starts whole processes, beside another such test, takes minutes on a busy host. */
const processes = { ...integration, testTimeout: 240_000, hookTimeout: 240_000 }

const pages = { ...shared, testTimeout: 120_000, hookTimeout: 240_000 }

/**
 * `tidy` reads sources only, `unit` needs nothing outside the process, `integration` starts real nodes and
 * databases, and `e2e` walks through the pages in a real browser with a real sandbox.
 */
export default defineConfig({
  test: {
    maxWorkers: 2,
    reporters: ['default', './server/test/support/report-skipped.ts'],
    projects: [
      { test: { ...sharing, name: 'tidy', include: ['test/tidy/*.test.ts'] } },
      { test: { ...sharing, name: 'unit', include: ['src/**/*.test.ts'] } },
      { test: { ...sharing, name: 'sdk', root: 'sdk', include: ['src/**/*.test.ts'], alias: ownName } },
      {
        test: { ...sharing, name: 'web', root: 'web', include: ['{src,build}/**/*.test.ts'], alias: ownName },
      },
      {
        test: {
          ...integration,
          isolate: false,
          name: 'integration',
          include: ['test/**/*.test.ts'],
          exclude: ['test/tidy/**', 'test/e2e/**', ...proofs, ...Object.values(nightly).flat()],
        },
      },
      {
        test: {
          ...processes,
          name: 'proofs',
          include: proofs,
          exclude: [...timedProofs, ...Object.values(nightly).flat()],
        },
      },
      {
        test: { ...processes, name: 'timed-proofs', include: timedProofs, sequence: { groupOrder: 1 } },
      },
      ...Object.entries(nightly).map(([part, include]) => ({
        test: { ...(part === 'browser' ? pages : processes), name: `nightly-${part}`, include },
      })),
      { test: { ...pages, name: 'e2e', include: ['test/e2e/*.test.ts'], exclude: nightly.browser } },
      {
        test: { ...shared, name: 'screenshots', include: ['test/e2e/screenshots.ts'], testTimeout: 300_000 },
      },
      { test: { ...shared, name: 'lighthouse', include: ['test/e2e/lighthouse.ts'], testTimeout: 300_000 } },
    ],
  },
})
