/** Tests how an operator adds, enables and disables own networks and tokens through the API, on real nodes. */
import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { writingParts } from '../../src/pricing/own-rows/operator-key.ts'
import { readOwnRows } from '../../src/pricing/own-rows/own-rows.ts'
import { readEntries, readSealedNodes } from '../../src/pricing/own-rows/store.ts'
import { orderPublicKey } from '../../src/signing/order-signature.ts'
import { readTestContract, useAnvil } from '../support/anvil.ts'
import { makeOperator } from '../support/appoint.ts'
import { useDatabase } from '../support/database.ts'
import { readAuditActions } from '../support/own-rows.ts'
import { type Browser, logInBrowser } from './browser.ts'
import { useShopApi } from './shop-api.ts'

const scrollId = 53_435_231_337
const database = useDatabase()
const base = useAnvil()
const scroll = useAnvil({ chainId: scrollId })
const legacyId = 6_131_337
const legacy = useAnvil({ chainId: legacyId, hardfork: 'berlin' })
const seed = randomBytes(32)
const keys = writingParts(seed, [orderPublicKey(seed)], 'here')
const nodeUrls = new Map<string, readonly string[]>()
const api = useShopApi(database, { operatorKeys: { reading: keys, sign: undefined }, nodeUrls })

const path = '/operator/own-entries'
let operator: { readonly token: string; readonly email: string }
let browser: Browser
let tokens: { readonly USDT: string; readonly USDC: string }
beforeAll(async () => {
  operator = await api.register()
  await makeOperator(database.db, operator.email)
  browser = await logInBrowser(api, operator)
  nodeUrls.set('base', [base.url])
  tokens = await base.deployTokens()
  await scroll.rpc('anvil_mine', ['0x10'])
})

const post = (below: string, json: unknown) =>
  api.call('POST', `${path}${below}`, { token: operator.token, json })
const rowsNow = async () => readOwnRows(await readEntries(database.db), keys)
const tokenBody = (over: object = {}) => ({
  network: 'base',
  contract: tokens.USDC,
  decimals: 6,
  symbol: 'XUSD',
  ...over,
})
const networkBody = (over: object = {}) => ({
  name: 'scroll',
  title: 'Scroll',
  chainID: scrollId,
  nodeURLs: [`${scroll.url}/?key=secret`],
  coin: 'ETH',
  explorer: 'https://scrollscan.com',
  ...over,
})
const propose = async (below: string, json: unknown) => {
  const { status, body, text } = await post(below, json)
  expect(status, text).toBe(200)
  return body as {
    readonly findings: readonly { readonly name: string; readonly text: string; readonly level: string }[]
    readonly entry: { readonly number: number; readonly text: string; readonly nodes: string | null }
    readonly canSignHere: boolean
    readonly policyLines: readonly string[]
  }
}
const disableXusd = { kind: 'token', name: 'base/XUSD', isEnabled: false }
const pointersOf = ({ body }: { readonly body: { readonly errors?: readonly { pointer: string }[] } }) =>
  body.errors?.map(({ pointer }) => pointer)

describe('a proposal', () => {
  it.each<[string, string, () => object, string]>([
    ['a name with capitals', '/network', () => ({ name: 'Scroll!' }), '/name'],
    ['the title of another network', '/network', () => ({ title: 'Base' }), '/title'],
    ['a chain with real money in a sandbox', '/network', () => ({ chainID: 534_352 }), '/chainID'],
    ['a coin with small letters', '/network', () => ({ coin: 'eth' }), '/coin'],
    ['an explorer without https', '/network', () => ({ explorer: 'http://scan.example' }), '/explorer'],
    ['a wallet node with a key', '/network', () => ({ walletRPC: 'https://n.example/?key=1' }), '/walletRPC'],
    ['falling confirmations', '/network', () => ({ confirmations: [9, 5, 1] }), '/confirmations'],
    ['a fee that is no amount', '/network', () => ({ maxFee: 'much' }), '/maxFee'],
    ['a tip above the fee', '/network', () => ({ maxTip: '900' }), '/maxTip'],
    ['a cold address that is none', '/network', () => ({ coldAddress: '0x12' }), '/coldAddress'],
    ['a mirror that is no address', '/network', () => ({ mirrors: ['0x12'] }), '/mirrors'],
    ['a node that is no URL', '/network', () => ({ nodeURLs: ['ftp://node'] }), '/nodeURLs/0'],
    ['no node', '/network', () => ({ nodeURLs: [] }), '/nodeURLs'],
    ['a minimum of nothing', '/network', () => ({ minimum: '0' }), '/minimum'],
    ['a network without nodes', '/token', () => ({ network: 'polygon' }), '/network'],
    ['a contract that is no address', '/token', () => ({ contract: 'usdc' }), '/contract'],
    ['37 decimals', '/token', () => ({ decimals: 37 }), '/decimals'],
    ['a symbol with a sign', '/token', () => ({ symbol: 'X$' }), '/symbol'],
    ['the symbol of a shipped token', '/token', () => ({ symbol: 'USDC' }), '/symbol'],
    ['a name with a line break', '/token', () => ({ name: 'a\nb' }), '/name'],
    [
      'a largest deposit below the smallest',
      '/token',
      () => ({ minimum: '5', depositMax: '4' }),
      '/depositMax',
    ],
    ['an unknown field', '/token', () => ({ decimal: 6 }), '/decimal'],
    ['a token that is not there', '/state', () => ({ name: 'base/NONE' }), '/name'],
  ])('with %s is refused by its field', async (_what, below, over, pointer) => {
    const body = { '/network': networkBody, '/token': tokenBody, '/state': () => disableXusd }[below]
    const answer = await post(below, { ...body?.(), ...over() })
    expect([answer.status, pointersOf(answer)]).toEqual([400, [pointer]])
    expect((await rowsNow()).hashes).toEqual([])
  })

  it('has no entry if the chain forbids the row, and says why', async () => {
    const wrong = await propose('/token', tokenBody({ decimals: 18 }))
    expect(wrong.entry).toBeNull()
    expect(wrong.findings).toContainEqual(expect.objectContaining({ name: 'decimals', level: 'stop' }))
    const other = await propose('/network', networkBody({ chainID: 99_931_337 }))
    expect(other.entry).toBeNull()
    const silent = await propose('/network', networkBody({ nodeURLs: ['http://127.0.0.1:9/?key=secret'] }))
    expect([silent.entry, silent.findings]).toEqual([
      null,
      [{ node: '127.0.0.1:9', name: 'node', text: 'does not answer', level: 'stop' }],
    ])
  })

  it('of a network without base fees needs a price, and no tip or fee model', async () => {
    const body = (over: object) =>
      networkBody({
        name: 'oldnet',
        title: 'Oldnet',
        chainID: legacyId,
        nodeURLs: [legacy.url],
        ...over,
      })
    const { entry, findings } = await propose('/network', body({ maxFee: '5' }))
    expect(findings).toContainEqual(expect.objectContaining({ name: 'fees', level: 'warn' }))
    const { change } = JSON.parse(entry.text)
    const price = '5000000000'
    expect(change.row).toMatchObject({
      feeModel: 'legacy',
      priceBounds: { maxFeePerGasMax: price, maxPriorityFeePerGasMax: price },
    })
    for (const [over, pointer] of [
      [{}, '/maxFee'],
      [{ maxFee: '5', maxTip: '1' }, '/maxTip'],
      [{ maxFee: '5', maxTip: '9' }, '/maxTip'],
    ] as const) {
      const answer = await post('/network', body(over))
      expect([answer.status, pointersOf(answer)]).toEqual([400, [pointer]])
    }
    // On a network with base fees, the default tip counts.
    const high = await post('/network', networkBody({ maxFee: '5' }))
    expect([high.status, pointersOf(high)]).toEqual([400, ['/maxTip']])
  })

  it('of a network that makes the server connect elsewhere needs a proof, and each needs an operator', async () => {
    const refused = await browser.call('POST', `${path}/network`, { json: networkBody() })
    expect(refused).toMatchObject({ status: 403, body: { code: 'proof-required' } })
    expect((await browser.callProven('POST', `${path}/network`, { json: networkBody() })).status).toBe(200)
    const { token } = await api.register()
    for (const below of ['/network', '/token', '/state', '/check', '']) {
      const { status } = await api.call('POST', `${path}${below}`, { token, json: {} })
      expect(`${below} ${status}`).toBe(`${below} 403`)
    }
  })
})

describe('a signed entry', () => {
  it('adds a token, once, and only with a proof', async () => {
    const { entry, findings, canSignHere, policyLines } = await propose('/token', tokenBody())
    expect([entry.number, entry.nodes, canSignHere]).toEqual([1, null, false])
    expect(findings).toContainEqual({
      node: expect.stringContaining('127.0.0.1'),
      name: 'transfer',
      text: 'delivers what it says',
      level: 'ok',
    })
    expect(policyLines.join()).toContain(tokens.USDC.toLowerCase())
    const json = { text: entry.text, signature: keys.sign(entry.text) }
    const refused = await browser.call('POST', path, { json })
    expect(refused).toMatchObject({ status: 403, body: { code: 'proof-required' } })
    expect((await rowsNow()).hashes).toEqual([])
    const added = await browser.callProven('POST', path, { json })
    expect([added.status, added.body]).toEqual([201, { lastEntry: 1 }])
    expect((await rowsNow()).tokens).toMatchObject([{ row: { symbol: 'XUSD', methodId: 1000 } }])
    expect(await readAuditActions(database.db)).toEqual([{ action: 'token.added', subject: 'base/XUSD' }])
    const again = await post('', json)
    expect([again.status, pointersOf(again)]).toEqual([400, ['/text']])
    expect(again.body.detail).toContain('has the number 1, and the next entry has 2')
  })

  it('is refused without a signature, with one of another key, and over another text', async () => {
    const { entry } = await propose('/state', disableXusd)
    const other = randomBytes(32)
    const foreign = writingParts(other, [orderPublicKey(other)], 'here')
    for (const signature of [undefined, foreign.sign(entry.text), keys.sign(`${entry.text} `), 'nothing']) {
      const answer = await post('', { text: entry.text, signature })
      expect([answer.status, pointersOf(answer)]).toEqual([400, ['/signature']])
    }
    expect((await rowsNow()).hashes.length).toBe(1)
  })

  it('is checked before it is signed: with a proof, as the signed entry would be, and nothing is stored', async () => {
    const { entry } = await propose('/state', disableXusd)
    const json = { text: entry.text }
    const refused = await browser.call('POST', `${path}/check`, { json })
    expect(refused).toMatchObject({ status: 403, body: { code: 'proof-required' } })
    expect((await browser.callProven('POST', `${path}/check`, { json })).status).toBe(204)
    const old = entry.text.replace('"serial":2', '"serial":1')
    const wrong = [old, entry.text.replace('"here"', '"there"'), 'no JSON']
    for (const text of wrong) {
      const answer = await post('/check', { text })
      expect([answer.status, pointersOf(answer)], text).toEqual([400, ['/text']])
    }
    const silent = await propose('/token', tokenBody({ contract: tokens.USDT, symbol: 'YUSD' }))
    nodeUrls.set('base', ['http://127.0.0.1:9'])
    const unanswered = await post('/check', { text: silent.entry.text })
    nodeUrls.set('base', [base.url])
    expect([unanswered.status, unanswered.body.detail]).toEqual([
      400,
      expect.stringContaining('node: does not answer'),
    ])
    expect((await rowsNow()).hashes.length).toBe(1)
  })

  it('is refused if its number is old, and if it was not proposed here', async () => {
    const stale = await propose('/state', disableXusd)
    const added = await post('', { text: stale.entry.text, signature: keys.sign(stale.entry.text) })
    expect(added.status, added.text).toBe(201)
    expect((await rowsNow()).tokens).toMatchObject([{ isEnabled: false }])
    const enable = { ...disableXusd, isEnabled: true }
    const first = await propose('/state', enable)
    const second = await propose('/token', tokenBody({ contract: tokens.USDT, symbol: 'YUSD' }))
    expect([first.entry.number, second.entry.number]).toEqual([3, 3])
    expect((await post('', { text: first.entry.text, signature: keys.sign(first.entry.text) })).status).toBe(
      201,
    )
    const late = await post('', { text: second.entry.text, signature: keys.sign(second.entry.text) })
    expect([late.status, pointersOf(late)]).toEqual([400, ['/text']])
    const next = (await propose('/state', disableXusd)).entry.text
    const altered = [
      next.replace('"here"', '"there"'),
      next.replace(/"previous":"[0-9a-f]{64}"/, `"previous":"${'0'.repeat(64)}"`),
      next.replace('"isEnabled":false', '"isEnabled":false,"more":1'),
      next.replace('coffer/own-row/1', 'coffer/own-row/2'),
      'no JSON',
    ]
    for (const text of altered) {
      const answer = await post('', { text, signature: keys.sign(text) })
      expect([answer.status, pointersOf(answer)], text).toEqual([400, ['/text']])
    }
    expect((await rowsNow()).hashes.length).toBe(3)
  })

  it('is refused if the chain forbids the row by now', async () => {
    const taxed = await readTestContract('Taxed')
    const contract = await base.deploy(taxed)
    const { entry } = await propose('/token', tokenBody({ contract: tokens.USDT, symbol: 'YUSD' }))
    const text = entry.text.replace(tokens.USDT.toLowerCase(), contract.toLowerCase())
    expect(text).not.toBe(entry.text)
    const answer = await post('', { text, signature: keys.sign(text) })
    expect([answer.status, answer.body.detail]).toEqual([400, expect.stringMatching(/transfer: of 1000003/)])
    expect((await rowsNow()).hashes.length).toBe(3)
  })

  it('cannot state that addresses can be delegated if the nodes do not show it', async () => {
    const body = { name: 'oldnet', title: 'Oldnet', chainID: legacyId, nodeURLs: [legacy.url], maxFee: '5' }
    const { entry } = await propose('/network', networkBody(body))
    const text = entry.text
      .replace('"feeModel":"legacy"', '"feeModel":"eip1559"')
      .replace('"canDelegate":false', '"canDelegate":true')
    const answer = await post('', { text, signature: keys.sign(text), nodes: entry.nodes })
    expect([answer.status, answer.body.detail]).toEqual([
      400,
      expect.stringMatching(/EIP-7702: the row says/),
    ])
    expect((await rowsNow()).hashes.length).toBe(3)
  })

  it('adds a network with the nodes that were checked and no others, and shows no key of a node', async () => {
    const { entry, findings } = await propose('/network', networkBody())
    expect(findings).toContainEqual(expect.objectContaining({ name: 'chain id', text: String(scrollId) }))
    const other = await propose('/network', networkBody({ name: 'scrolls', title: 'Scrolls' }))
    const signature = keys.sign(entry.text)
    for (const nodes of [undefined, other.entry.nodes, 'AAAA']) {
      const answer = await post('', { text: entry.text, signature, nodes })
      expect([answer.status, pointersOf(answer)]).toEqual([400, ['/nodes']])
    }
    const added = await post('', { text: entry.text, signature, nodes: entry.nodes })
    expect([added.status, added.body]).toEqual([201, { lastEntry: 4 }])
    expect((await rowsNow()).networks).toMatchObject([{ row: { name: 'scroll', feeModel: 'eip1559' } }])
    expect((await readSealedNodes(database.db)).map(({ network }) => network)).toEqual(['scroll'])
    expect(JSON.stringify([findings, entry, added.body])).not.toContain('secret')
  })
})
