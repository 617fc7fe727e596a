import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type App, startApp } from '../../src/app/app.ts'
import type { Role } from '../../src/app/jobs.ts'
import { readConfig } from '../../src/app/settings/config.ts'
import { required } from '../../src/core/assert.ts'
import { freePort } from '../../src/core/free-port.ts'
import { silentLog } from '../../src/core/log.ts'
import { openNarrator } from '../../src/demo/narrator.ts'
import { playDemo } from '../../src/demo/play-demo.ts'

const coffer = fileURLToPath(new URL('../../bin/coffer.js', import.meta.url))
const blockTimeS = '0.2'

/** Holds everything of this file, including the temporary folders that the demo makes for itself. */
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coffer-demo-test-'))
  // If this process runs as root, PostgreSQL runs as another user. That user has no access to a folder with
  // the mode 0700 of mkdtemp.
  await chmod(folder, 0o755)
})

afterAll(() => rm(folder, { recursive: true, force: true }))

interface Run {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Returns settings for a Coffer that shares nothing with any other on this host. */
async function ownSettings(name: string): Promise<Record<string, string>> {
  const temporary = join(folder, `${name}-tmp`)
  await mkdir(temporary, { recursive: true })
  return {
    PATH: process.env['PATH'] ?? '',
    TMPDIR: temporary,
    DATA_DIR: join(folder, name),
    PORT: String(await freePort()),
    SANDBOX_EVM_PORT: String(await freePort()),
    SANDBOX_BLOCK_TIME_S: blockTimeS,
  }
}

function start(words: readonly string[], env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [coffer, ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] })
}

async function run(words: readonly string[], env: Record<string, string>): Promise<Run> {
  const child = start(words, env)
  const text = { stdout: '', stderr: '' }
  child.stdout?.on('data', (chunk) => (text.stdout += String(chunk)))
  child.stderr?.on('data', (chunk) => (text.stderr += String(chunk)))
  const [code] = await once(child, 'close')
  return { code, ...text }
}

const steps = [
  'Log in',
  'Create a merchant',
  'Generate its API key',
  'Set its webhook',
  'Create an invoice',
  'Show the payment address',
  'Pay from another wallet',
  'Receive invoice.paid',
  'Wait for confirmations',
  'Receive transaction.confirmed',
  'Read the balance',
  'Withdraw',
  'Receive collection.completed',
  'Receive withdrawal.broadcast',
  'Receive withdrawal.completed',
  'Check the recipient’s balance',
  'Read the balance again',
  'Verify the books',
]

function expectWholeStory({ code, stdout, stderr }: Run): void {
  expect({ code, stderr: code === 0 ? '' : stderr + stdout }).toEqual({ code: 0, stderr: '' })
  const printed = stdout.split('\n').flatMap((line) => /^ *\d+ {2}(.*?) {2,}[\d.]+ s/.exec(line)?.[1] ?? [])
  expect(printed).toEqual(steps)
  expect(stdout).toContain('24.65 USDT (25 paid less the fee of 0.35)')
  expect(stdout).toMatch(/transaction 0x[0-9a-f]{64}/)
  expect(stdout).toContain('All 18 steps succeeded')
  expect(stdout).not.toContain('\u001b')
}

it('plays the whole story on a sandbox of its own and leaves nothing behind', async () => {
  const env = await ownSettings('own')
  const played = await run(['demo'], env)
  expectWholeStory(played)
  expect(played.stdout).toContain('started for this demo alone')
  expect(await readdir(env['TMPDIR'] ?? '')).toEqual([])
  expect(await readdir(folder)).not.toContain('own')
  expect(played.stderr).not.toContain('"level"')
})

it('stops at SIGTERM and leaves nothing behind', async () => {
  const env = await ownSettings('stopped')
  const child = start(['demo'], { ...env, SANDBOX_BLOCK_TIME_S: '1' })
  child.stdout?.on('data', (chunk) => {
    if (String(chunk).includes('Pay from another wallet')) child.kill('SIGTERM')
  })
  const [code] = await once(child, 'close')
  expect(code).toBe(1)
  expect(await readdir(env['TMPDIR'] ?? '')).toEqual([])
})

describe('beside a running sandbox', () => {
  let app: App
  let env: Record<string, string>

  beforeAll(async () => {
    env = await ownSettings('beside')
    app = await startSandbox(env, ['api', 'watcher', 'dispatcher', 'payouts'])
  })
  afterAll(() => app.close())

  it("plays the whole story there, twice, and leaves it running without the demo's webhook", async () => {
    for (let time = 0; time < 2; time++) {
      const played = await run(['demo'], env)
      expectWholeStory(played)
      expect(played.stdout).toContain(`Coffer at ${app.publicUrl}`)
      expect(played.stdout).toContain('both running already')
    }
    expect((await fetch(`${app.publicUrl}/healthz`)).status).toBe(200)
    expect(await webhooksOf(app)).toEqual([404, 404])
  })

  it('says what to set if it does not find the folder of that sandbox', async () => {
    const { code, stderr } = await run(['demo'], { ...env, DATA_DIR: join(folder, 'elsewhere') })
    expect(code).toBe(1)
    expect(stderr).toContain('set DATA_DIR')
    expect(await readdir(folder)).not.toContain('elsewhere')
  })

  it('fails if events carry their signature in an unexpected header', async () => {
    const lines: string[] = []
    const playing = play(app, lines, { patienceMs: 1_500, serviceName: 'Other' })
    await expect(playing).rejects.toThrow('Receive invoice.paid')
    expect(lines.at(-1)).toMatch(/did not receive invoice\.paid .* rejected: wrong signature or body/)
  })

  it('fails if the books are wrong', async () => {
    const lines: string[] = []
    const verifyBooks = async () => ({ ok: false, examined: 13 })
    await expect(play(app, lines, { verifyBooks })).rejects.toThrow('Verify the books')
    expect(lines.at(-1)).toContain('the books violate an invariant')
  })

  it('fails at the login with a wrong password', async () => {
    const { code, stdout } = await run(['demo'], { ...env, ADMIN_PASSWORD: 'not the password' })
    expect(code).toBe(1)
    expect(stdout).toMatch(/Log in .*FAILED .*POST \/auth\/login answered 401, not 200/)
  })
})

describe('a missing event', () => {
  it('is named after a limited wait', async () => {
    const app = await startSandbox(await ownSettings('silent'), ['api', 'watcher'])
    const lines: string[] = []
    const playing = play(app, lines, { patienceMs: 1_500 })
    await expect(playing).rejects.toThrow('Receive invoice.paid')
    await app.close()
    expect(lines.at(-1)).toMatch(
      /FAILED {2}the webhook did not receive invoice\.paid within 1\.5 s \(no events received\)/,
    )
  })
})

function startSandbox(env: Record<string, string>, roles: readonly Role[]): Promise<App> {
  const config = readConfig(env)
  return startApp({ config, log: silentLog, roles, onProgress: () => {}, onLost: () => {} })
}

/** Returns the status with which the URL of each merchant's webhook answers. */
async function webhooksOf(app: App): Promise<number[]> {
  const read = async (path: string, init: RequestInit = {}) => fetch(`${app.publicUrl}${path}`, init)
  const login = { email: 'admin@coffer.test', password: required(app.adminPassword, 'password').reveal() }
  const json = { 'content-type': 'application/json' }
  const answer = await read('/auth/login', { method: 'POST', headers: json, body: JSON.stringify(login) })
  const { token } = (await answer.json()) as { token: string }
  const headers = { authorization: `Bearer ${token}` }
  const merchants = (await (await read('/merchants', { headers })).json()) as { id: string }[]
  return Promise.all(merchants.map(async ({ id }) => (await read(`/weebhook/${id}`, { headers })).status))
}

function play(app: App, lines: string[], over: Partial<Parameters<typeof playDemo>[0]>): Promise<void> {
  return playDemo({
    narrator: openNarrator({ print: (line) => lines.push(line), isColoured: false }),
    url: app.publicUrl,
    nodeUrl: app.devUrls.get('ethereum') ?? '',
    email: 'admin@coffer.test',
    password: required(app.adminPassword, 'password').reveal(),
    serviceName: 'Service',
    patienceMs: 10_000,
    signal: new AbortController().signal,
    verifyBooks: async () => ({ ok: true, examined: 13 }),
    ...over,
  })
}
