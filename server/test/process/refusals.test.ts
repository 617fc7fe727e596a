/**
 * Tests what a start refuses, and how the command line answers misuse: with a clear line and a remedy, and
 * with nothing left behind.
 */
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readConfig } from '../../src/app/settings/config.ts'
import { call } from '../support/coffer-client.ts'
import { ownSettings, processesIn, runCoffer, startCoffer, useDataDirs } from '../support/coffer-process.ts'
import { newAddress } from '../support/litecoin-wallet.ts'

const dataDirs = useDataDirs()

/** Runs a start that must fail, checks that it started nothing, and returns its error output. */
async function refusedStart(over: Record<string, string>): Promise<string> {
  const dataDir = await dataDirs.fresh()
  const { code, stdout, stderr } = await runCoffer(['start'], await ownSettings(dataDir, over))
  expect(code).toBe(1)
  expect(stdout).toBe('')
  expect(processesIn(dataDir)).toEqual([])
  expect(existsSync(join(dataDir, 'postgres')), 'PostgreSQL was started in vain').toBe(false)
  // Coffer announces each part before it prepares it.
  expect(stderr).not.toMatch(/PostgreSQL …|deriving addresses …/)
  return stderr
}

/** Starts a listener that answers JSON-RPC with a chain id, and returns its URL. */
async function listener(chainId = 1): Promise<string> {
  const server = createServer((request, response) => {
    request.resume()
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: `0x${chainId.toString(16)}` }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return String((server.address() as AddressInfo).port)
}

describe('start', () => {
  it('refuses a second Coffer on the same DATA_DIR, names the first, and does not disturb it', async () => {
    const dataDir = await dataDirs.fresh()
    const first = await startCoffer(await ownSettings(dataDir))
    const { code, stderr } = await runCoffer(['start'], await ownSettings(dataDir))
    expect(code).toBe(1)
    expect(stderr).toBe(
      `coffer start: Coffer is already running on ${dataDir} (pid ${first.pid}): stop it or use another DATA_DIR\n`,
    )
    expect((await call(`${first.url}/healthz`, 'GET', {})).status).toBe(200)
    expect(await first.stop()).toEqual({ code: 0, signal: null })
  })

  it('reports at once that PORT is in use, and states the remedy', async () => {
    const port = await listener()
    expect(await refusedStart({ PORT: port })).toBe(
      `coffer start: port ${port} is in use: stop the process that listens on it, or set PORT to another port\n`,
    )
  })

  it('reports that HOST is not an address of this machine', async () => {
    expect(await refusedStart({ HOST: '192.0.2.1', PORT: '3999' })).toContain(
      'HOST 192.0.2.1 is not an address',
    )
  })

  it('reports at once that SANDBOX_EVM_PORT is in use, and states the remedy', async () => {
    const port = await listener()
    const said = await refusedStart({ SANDBOX_EVM_PORT: port })
    expect(said).toContain(`127.0.0.1:${port}`)
    expect(said).toContain('set SANDBOX_EVM_PORT to a free port')
  })

  it('refuses a node of a chain with real money, also as the second of two', async () => {
    const main = `http://127.0.0.1:${await listener(1)}`
    expect(await refusedStart({ EVM_RPC_ETHEREUM: main })).toContain('is chain 1, which is not a dev chain')
    const dev = `http://127.0.0.1:${await listener(31_337)}`
    expect(await refusedStart({ EVM_RPC_ETHEREUM: `${dev},${main}` })).toContain(
      'is chain 1, which is not a dev',
    )
  })

  it('names the host of a node that does not answer, but not its path, which is often a key', async () => {
    const said = await refusedStart({ EVM_RPC_ETHEREUM: 'http://127.0.0.1:9/v3/0123456789abcdef' })
    expect(said).toContain('No node answers at 127.0.0.1:9')
    expect(said).not.toContain('0123456789abcdef')
  })
})

describe('settings', () => {
  const secrets = {
    DATABASE_URL: 'postgresql://app:hush-1@db.example:5432/coffer',
    MIGRATION_DATABASE_URL: 'hush-2',
    JWT_SECRET: 'hush-3',
    ENCRYPTION_KEY: 'hush-4',
    ADMIN_PASSWORD: 'hush-5',
    XPUB_EVM: 'xprv-hush-6',
    EVM_RPC_ETHEREUM: 'ftp://node.example/hush-7',
  }
  const wrong = { ...secrets, PORT: '70000', COFFER_MODE: 'staging', REGISTRATION: 'perhaps' }

  it('are reported all at once, each by name, and without a secret', async () => {
    const { code, stdout, stderr } = await runCoffer(['start'], wrong)
    expect(code).toBe(2)
    expect(stdout).toBe('')
    for (const name of Object.keys(wrong)) expect(stderr).toMatch(new RegExp(`- ${name}[ =]`))
    expect(stderr).toContain('coffer help settings')
    expect(stderr).not.toMatch(/hush/)
  })

  it('keep their secrets out of the error that reports them, however it is printed', () => {
    const error = failureOf(() => readConfig(wrong))
    for (const text of [
      String(error),
      inspect(error, { depth: 9, showHidden: true }),
      JSON.stringify(error),
    ]) {
      expect(text).not.toMatch(/hush/)
    }
  })

  it('refuse a cold address of another chain, of both kinds of money, and a truncated one, each by name', () => {
    const main = {
      COLD_ADDRESS_BITCOIN: 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu',
      COLD_ADDRESS_LITECOIN: 'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9',
      COLD_ADDRESS_DOGECOIN: 'DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L',
    }
    const inSandbox = failureOf(() => readConfig(main))
    for (const name of Object.keys(main))
      expect(String(inSandbox)).toMatch(
        new RegExp(`- ${name}: the address belongs to another network .* \\(regtest\\)`),
      )
    expect(readConfig({ COLD_ADDRESS_LITECOIN: newAddress().toUpperCase() })).toBeDefined()
    const production = { COFFER_MODE: 'production', DATABASE_URL: 'postgresql://app@db.example/coffer' }
    expect(readConfig({ ...production, ...main })).toMatchObject({
      coldAddressBitcoin: main.COLD_ADDRESS_BITCOIN,
    })
    const swapped = { COLD_ADDRESS_BITCOIN: main.COLD_ADDRESS_LITECOIN, COLD_ADDRESS_LITECOIN: 'ltc1qw508d6' }
    const inProduction = String(failureOf(() => readConfig({ ...production, ...swapped })))
    expect(inProduction).toMatch(/- COLD_ADDRESS_BITCOIN: .*[Ll]itecoin.*; it must be an address of bitcoin/)
    expect(inProduction).toMatch(/- COLD_ADDRESS_LITECOIN: the address does not match its checksum/)
  })

  it('refuse a remote database in a sandbox', async () => {
    const { stderr } = await runCoffer(['start'], { DATABASE_URL: secrets.DATABASE_URL })
    expect(stderr).toMatch(/DATABASE_URL is remote/)
  })

  it('refuse a database that is remote by the query of its URL', async () => {
    const DATABASE_URL = 'postgresql://coffer:hush@127.0.0.1/coffer?host=192.0.2.7'
    const { stderr } = await runCoffer(['start'], { DATABASE_URL })
    expect(stderr).toMatch(/DATABASE_URL is remote/)
  })
})

describe('the command line', () => {
  it('lists commands and settings, and prints no value of a setting', async () => {
    const environment = { ADMIN_PASSWORD: 'hush-and-longer', JWT_SECRET: 'hush'.repeat(8) }
    const [help, start, settings, self] = await Promise.all([
      runCoffer(['help'], environment),
      runCoffer(['help', 'start'], environment),
      runCoffer(['help', 'settings'], environment),
      runCoffer(['help', '--help'], environment),
    ])
    expect([help.code, start.code, settings.code, self.code]).toEqual([0, 0, 0, 0])
    expect(self.stdout).toBe(help.stdout)
    for (const name of ['start', 'verify', 'backup', 'restore', 'token', 'migrate'])
      expect(help.stdout).toContain(`\n  ${name} `)
    expect(start.stdout).toMatch(/^coffer start \[--roles/)
    for (const name of ['DATA_DIR', 'PORT', 'ENCRYPTION_KEY']) expect(settings.stdout).toContain(`  ${name} `)
    expect(help.stdout + start.stdout + settings.stdout).not.toMatch(/hush/)
  })

  it('answers misuse with the usage and exit code 2', async () => {
    const [flag, role, unknown] = await Promise.all([
      runCoffer(['start', '--nonsense'], {}),
      runCoffer(['start', '--roles', 'api,nobody'], {}),
      runCoffer(['stat'], {}),
    ])
    expect([flag.code, role.code, unknown.code]).toEqual([2, 2, 2])
    expect(flag.stderr).toMatch(/^coffer start: .*--nonsense[^\n]*\nUsage: coffer start \[--roles/)
    expect(role.stderr).toContain('--roles must be a list of api,watcher,dispatcher,payouts')
    expect(unknown.stderr).toContain('unknown command "stat". "coffer help" lists the commands.')
  })
})

function failureOf(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('it did not fail')
}
