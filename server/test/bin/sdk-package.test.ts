/**
 * Tests the SDK as npm would publish it: packed, installed elsewhere and imported. Its command runs against a
 * real Coffer.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createClient, verifyWebhook } from '../../../sdk/src/index.ts'
import { killAll, ownSettings, repositoryRoot, startCoffer, useDataDirs } from '../support/coffer-process.ts'
import { startMerchantServer } from '../support/merchant-server.ts'
import { compile, consumerCommon, consumerProgram, consumerSettings } from '../support/sdk-consumer.ts'

const run = promisify(execFile)
const sdkFolder = join(repositoryRoot, 'sdk')
const patience = { timeout: 40_000, interval: 20 }
const dataDirs = useDataDirs()
let shop = ''

/** Creates a program outside the repository that has only the package installed. */
beforeAll(async () => {
  shop = await mkdtemp(join(tmpdir(), 'coffer-shop-'))
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', shop], { cwd: sdkFolder })
  const [{ filename }] = JSON.parse(stdout)
  await writeFile(join(shop, 'package.json'), '{"private":true,"type":"module"}')
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(shop, filename)], { cwd: shop })
}, 120_000)
afterAll(() => rm(shop, { recursive: true, force: true }))

const installed = () => join(shop, 'node_modules/coffer-sdk')

describe('the package of the SDK', () => {
  it('holds the compiled code and its command, without tests and sources, and has no dependencies', async () => {
    expect((await readdir(installed())).sort()).toEqual(['README.md', 'bin', 'dist', 'package.json'])
    expect(await readdir(join(installed(), 'bin'))).toEqual(['coffer-dev.js'])
    const files = await readdir(join(installed(), 'dist'), { recursive: true })
    expect(files.filter((name) => !/(\.js|\.d\.ts|^dev)$/.test(name) || name.includes('.test.'))).toEqual([])
    expect(await readdir(join(shop, 'node_modules'))).toEqual(['.bin', '.package-lock.json', 'coffer-sdk'])
  })

  it('can be imported by its name, makes requests and verifies webhooks', async () => {
    const program = `
      import { createClient, signTestEvent, verifyWebhook } from 'coffer-sdk'
      const secret = 'a secret of at least 32 characters'
      const request = await signTestEvent({ type: 'webhook.test', data: { testID: 'x' }, secret })
      const event = await verifyWebhook({ ...request, secret })
      console.log(typeof createClient({ baseUrl: 'http://localhost' }).createInvoice, event.data.testID)`
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], { cwd: shop })
    expect(stdout).toBe('function x\n')
  })

  it('has types that also hold in a browser, and with which the examples of the README compile', async () => {
    const readme = await readFile(join(installed(), 'README.md'), 'utf8')
    const blocks = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, block = '']) => block)
    expect(blocks.length).toBeGreaterThan(2)
    await mkdir(join(shop, 'readme'))
    await writeFile(join(shop, 'readme/names.d.ts'), namesOfExamples)
    for (const [index, block] of blocks.entries())
      await writeFile(join(shop, `readme/block-${index}.ts`), `${block}\nexport {}\n`)
    expect(await compile(join(shop, 'readme'), asBrowsers)).toBe('')
  })

  it('accepts the input of every operation, and no other, with any compiler settings', async () => {
    const folder = join(shop, 'consumer')
    await mkdir(folder)
    await writeFile(join(folder, 'program.ts'), consumerProgram('coffer-sdk').source)
    for (const [name, settings] of Object.entries(consumerSettings))
      expect(await compile(folder, { ...consumerCommon, ...settings }), name).toBe('')
  }, 120_000)

  it('provides a command that npx finds', async () => {
    const { stdout } = await run('npx', ['--no-install', 'coffer-dev', '--help'], { cwd: shop })
    expect(stdout).toMatch(/^coffer-dev: receive the events/)
  })
})

/** Strict compiler settings without the types of Node. */
const asBrowsers = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  target: 'es2023',
  module: 'nodenext',
  lib: ['es2023', 'dom', 'dom.iterable'],
  types: [],
}

/** Declares the names that the examples assume. */
const namesOfExamples = `
declare const process: { env: Record<string, string | undefined> }
declare const coffer: import('coffer-sdk').Client
declare const merchantID: string
declare const secret: string
declare const invoiceID: string
declare const receiverUrl: string
declare const body: import('coffer-sdk').InputOf<'createInvoice'>['body']
declare function alreadyInvoiced(): void`

describe('coffer-dev, installed, beside a Coffer whose signature header has another name', () => {
  it('forwards deliveries until Ctrl-C, also after the server was killed and started again', async () => {
    const dataDir = await dataDirs.fresh()
    const settings = { ...(await ownSettings(dataDir)), SERVICE_NAME: 'Acme' }
    const first = await startCoffer(settings)
    const receiver = await startMerchantServer()
    onTestFinished(() => receiver.close())
    const { coffer, merchantID, key } = await openMerchant(first.url)
    const secret = 'a secret of at least 32 characters'
    await coffer.createWebhook({ merchantID, body: { url: `${receiver.url}/delivered`, secret } })
    const listening = startListening(['--forward', `${receiver.url}/forwarded`], {
      COFFER_URL: first.url,
      COFFER_API_KEY: key,
      COFFER_WEBHOOK_SECRET: secret,
    })
    await vi.waitFor(() => expect(listening.text()).toContain('Ctrl-C'), patience)
    // A process that is killed after an answer and before recording it sends the same event again.
    const callsTo = (path: string) => {
      const calls = receiver.calls.filter((call) => call.path.endsWith(path))
      return [...new Map(calls.map((call) => [call.body.toString(), call])).values()]
    }
    const arrived = (count: number) =>
      vi.waitFor(() => {
        expect([callsTo('/forwarded').length, callsTo('/delivered').length]).toEqual([count, count])
      }, patience)

    await coffer.testWebhook({ merchantID })
    await arrived(1)
    await killAll(first, dataDir)
    await vi.waitFor(() => expect(listening.text()).toContain('Events cannot be read'), patience)
    const second = await startCoffer({ ...settings, PORT: new URL(first.url).port })
    await coffer.testWebhook({ merchantID })
    await arrived(2)

    for (const [index, forwarded] of callsTo('/forwarded').entries()) {
      const delivered = callsTo('/delivered')[index]
      expect(forwarded.body.toString()).toBe(delivered?.body.toString())
      expect(Object.keys(forwarded.headers).sort()).toEqual(Object.keys(delivered?.headers ?? {}).sort())
      const { 'x-acme-signature': signature = '' } = forwarded.headers
      const byBody = {
        body: forwarded.body,
        headers: { 'x-acme-signature': signature },
        serviceName: 'Acme',
        secret,
      }
      expect(await verifyWebhook(byBody)).toMatchObject({ sequence: index + 1 })
    }
    listening.child.kill('SIGINT')
    expect(await listening.ended).toEqual([0, null])
    expect(listening.text()).toContain('Ended after event 2; continue with --from 2.')
    expect(listening.text()).not.toContain('\u001b')
    await second.stop()
  }, 180_000)
})

async function openMerchant(baseUrl: string) {
  const account = { email: 'dev@example.com', password: 'correct horse battery staple' }
  await createClient({ baseUrl }).register({ body: account })
  const { token } = await createClient({ baseUrl }).login({ body: account })
  const coffer = createClient({ baseUrl, token })
  const { id: merchantID } = await coffer.createMerchant({ body: { name: 'A shop' } })
  const { apiKey: key } = await coffer.generateKey({ merchantID })
  return { coffer, merchantID, key }
}

function startListening(words: readonly string[], env: Readonly<Record<string, string>>) {
  const command = join(shop, 'node_modules/.bin/coffer-dev')
  const { PATH = '' } = process.env
  const child = spawn(command, ['listen', ...words], { cwd: shop, env: { PATH, ...env } })
  const chunks: string[] = []
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk))
  const ended = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { child, ended, text: () => chunks.join('') }
}
