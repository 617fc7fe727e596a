/**
 * The command `coffer demo`: plays the demo on a running sandbox, or starts a sandbox and removes it again.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { required } from '../../core/assert.ts'
import { freePort } from '../../core/free-port.ts'
import type { Environment, Secret } from '../../core/settings.ts'
import { openNarrator, StepFailed } from '../../demo/narrator.ts'
import { playDemo } from '../../demo/play-demo.ts'
import type { OtherChain } from '../../demo/session.ts'
import { findDevChain } from '../../sandbox/anvil.ts'
import { findProgram } from '../../sandbox/find-program.ts'
import { findLitecoind } from '../../sandbox/litecoind.ts'
import { startApp } from '../app.ts'
import { CloseStack } from '../close-stack.ts'
import { isCofferAt } from '../find-running.ts'
import { roles } from '../jobs.ts'
import { readSecrets } from '../keys/generated-secrets.ts'
import { urlOf } from '../listening.ts'
import { openLog } from '../log.ts'
import { type Config, readConfig } from '../settings/config.ts'
import { verifyBooks } from './books/verify-command.ts'
import type { Command, Terminal } from './command.ts'
import { readWords } from './read-words.ts'
import { nextStop } from './stop-signal.ts'
import { chainOptions, chainUsage, withChains } from './with-chains.ts'

export const demoCommand: Command = {
  usage: chainUsage,
  help: [
    'Sets up a merchant, lets a customer pay an invoice from another wallet, withdraws the money, and checks',
    'every step: the signed webhooks, the confirmations, the balance, the sweep, what arrives at the recipient, the',
    'books. Exits 1 if any check fails.',
    'If a sandbox is running, it uses that one and leaves its merchant there; otherwise it starts one in a temporary',
    'folder on free ports and removes it afterwards.',
    '',
    '--with-litecoin  pays an invoice in litecoin too, on the sandbox’s own chain; where litecoind is not on the PATH, or the',
    '                 running sandbox was started without it, that part is skipped, and says so',
    '--with-base      pays an invoice on Base too, on the sandbox’s own chain',
  ],
  run,
}

/** The time limit for a step. A step takes far less, because the dev chain makes a block each second. */
const patienceMs = 30_000

async function run(words: readonly string[], terminal: Terminal): Promise<number> {
  const { values } = readWords(words, { options: chainOptions })
  const environment = withChains(terminal.environment, values)
  if (readConfig(environment).mode === 'production') {
    throw new Error('the demo works with a sandbox only: unset COFFER_MODE')
  }
  const stop = nextStop()
  const stopping = new AbortController()
  void stop.asked.then(() => stopping.abort(new Error('stopped')))
  const opened = new CloseStack()
  try {
    return await play({ terminal: { ...terminal, environment }, opened, stopping })
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error
    terminal.note('The demo failed.')
    return 1
  } finally {
    await opened.closeAll((name, error) => terminal.note(`closing ${name} failed: ${String(error)}`))
  }
}

interface Stage {
  readonly terminal: Terminal
  readonly opened: CloseStack
  readonly stopping: AbortController
}

async function play(stage: Stage): Promise<number> {
  const { terminal, stopping } = stage
  const sandbox = (await findSandbox(stage)) ?? (await startSandbox(stage))
  const { config, url, nodeUrl, password } = sandbox
  const narrator = openNarrator({ print: (line) => terminal.print(line), isColoured: isColoured(terminal) })
  const startedAt = performance.now()
  narrator.say('')
  narrator.say('A payment and a withdrawal on a dev chain, with test money.')
  narrator.say(`Coffer at ${url}, the chain at ${nodeUrl}, ${sandbox.origin}.`)
  narrator.say('')
  await playDemo({
    narrator,
    url,
    nodeUrl,
    patienceMs,
    email: config.adminEmail,
    password: password.reveal(),
    serviceName: config.serviceName,
    ...(config.sandboxLitecoin && { litecoin: await litecoinOf(config) }),
    ...(config.sandboxBase && { base: await baseOf(config) }),
    signal: stopping.signal,
    verifyBooks: () => proveBooks(config, terminal),
  })
  narrator.say('')
  narrator.say(`All ${narrator.steps} steps succeeded in ${seconds(performance.now() - startedAt)}.`)
  return 0
}

async function baseOf({ dataDir, evmRpcBase: [given] }: Config): Promise<OtherChain> {
  const nodeUrl = given ?? (await findDevChain(dataDir, 'base'))
  return nodeUrl === undefined ? { missing: 'this sandbox runs without --with-base' } : { nodeUrl }
}

async function litecoinOf({ dataDir }: Config): Promise<OtherChain> {
  const nodeUrl = await findLitecoind(dataDir)
  if (nodeUrl !== undefined) return { nodeUrl }
  const isInstalled = findProgram('litecoind') !== undefined
  return {
    missing: isInstalled ? 'this sandbox runs without --with-litecoin' : 'litecoind is not on the PATH',
  }
}

/**
 * Checks the books as `coffer verify` does. It prints the report only if a check fails, and returns the
 * number of invariants that it checked.
 */
async function proveBooks(config: Config, terminal: Terminal) {
  const lines: string[] = []
  const { note } = terminal
  const { ok, entries } = await verifyBooks(config, openLog(config.logLevel), {
    print: (line) => lines.push(line),
    note,
  })
  if (!ok) for (const line of lines) note(line)
  return { ok, examined: entries.filter(({ skipped }) => skipped === undefined).length }
}

interface Sandbox {
  readonly config: Config
  readonly url: string
  readonly nodeUrl: string
  readonly password: Secret
  /** A phrase for people that says whether the sandbox was running already. */
  readonly origin: string
}

/** Returns the running sandbox that these settings name, or undefined if there is none. */
async function findSandbox({ terminal, stopping }: Stage): Promise<Sandbox | undefined> {
  const config = readConfig(terminal.environment)
  const url = config.publicUrl ?? urlOf(config.host, config.port, config.tlsCertFile ? 'https' : 'http')
  if (config.port === 0 && config.publicUrl === undefined) return undefined
  if (!(await isCofferAt(url, stopping.signal))) return undefined
  const password = config.adminPassword ?? (await readSecrets(config.dataDir))?.adminPassword
  if (password === undefined) {
    throw new Error(
      `a Coffer runs at ${url}, but ${config.dataDir} is not its folder: set DATA_DIR as it was started with, ` +
        'or PORT to a free one for a demo of its own',
    )
  }
  const nodeUrl = config.evmRpcEthereum[0] ?? `http://127.0.0.1:${config.sandboxEvmPort}`
  return { config, url, nodeUrl, password, origin: 'both running already' }
}

/** Starts a sandbox for this demo. It shares nothing with other sandboxes and is removed afterwards. */
async function startSandbox({ terminal, opened, stopping }: Stage): Promise<Sandbox> {
  const dataDir = await mkdtemp(join(tmpdir(), 'coffer-demo-'))
  opened.add('temporary folder', () => rm(dataDir, { recursive: true, force: true }))
  // mkdtemp creates the folder with mode 0700. If root runs the demo, PostgreSQL runs as another user, who
  // needs access to the folder.
  await chmod(dataDir, 0o755)
  const config = readConfig(await ownEnvironment(terminal.environment, dataDir))
  const app = await startApp({
    config,
    log: openLog(config.logLevel),
    roles,
    onProgress: (step) => terminal.note(`· ${step} …`),
    onLost: (error) => stopping.abort(error),
  })
  opened.add('sandbox', () => app.close())
  const url = app.publicUrl
  if (!(await isCofferAt(url, stopping.signal))) throw new Error(`the sandbox at ${url} does not answer`)
  return {
    config,
    url,
    nodeUrl: required(app.devUrls.get('ethereum'), 'the dev chain'),
    password: required(app.adminPassword, 'the password of a sandbox just made'),
    origin: 'started for this demo alone',
  }
}

async function ownEnvironment(environment: Environment, dataDir: string): Promise<Environment> {
  return {
    DATA_DIR: dataDir,
    PORT: '0',
    SANDBOX_EVM_PORT: String(await freePort()),
    SANDBOX_BLOCK_TIME_S: environment['SANDBOX_BLOCK_TIME_S'],
    SANDBOX_LITECOIN: environment['SANDBOX_LITECOIN'],
    SANDBOX_BASE: environment['SANDBOX_BASE'],
    SANDBOX_BASE_PORT: String(await freePort()),
    LOG_LEVEL: environment['LOG_LEVEL'],
  }
}

/** Colours are for terminals only. NO_COLOR, defined at https://no-color.org, disables them. */
function isColoured({ environment }: Terminal): boolean {
  return process.stdout.isTTY === true && !environment['NO_COLOR']
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}
