import { randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { chainIdProblem } from '../../src/app/own-rows/chain-id-problem.ts'
import { OwnRowsKeeper, type OwnRowsParts } from '../../src/app/own-rows/keep-own-rows.ts'
import { readColdAddresses, readVerifiedRows } from '../../src/app/own-rows/read-own-rows.ts'
import { requireKnownMethods } from '../../src/app/own-rows/require-known-methods.ts'
import { readConfig } from '../../src/app/settings/config.ts'
import { startCursor } from '../../src/chains/blocks/store.ts'
import { allEvmNetworks, networkOf } from '../../src/chains/networks.ts'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import type { Log } from '../../src/core/log.ts'
import { silentLog } from '../../src/core/log.ts'
import { openSealer } from '../../src/core/seal.ts'
import { Secret } from '../../src/core/settings.ts'
import { xpubFingerprint } from '../../src/core/xpub-fingerprint.ts'
import { acquireLease, type Lease, releaseLease } from '../../src/platform/db/lease.ts'
import type { Db } from '../../src/platform/db/pool.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { addNetwork, addToken, changeNodes, setRowState } from '../../src/pricing/own-rows/add-own-row.ts'
import { openNodeList, reencryptNodes } from '../../src/pricing/own-rows/nodes.ts'
import { writingParts } from '../../src/pricing/own-rows/operator-key.ts'
import { ownMethods } from '../../src/pricing/own-rows/own-methods.ts'
import type { OwnNetwork } from '../../src/pricing/own-rows/own-network.ts'
import { nextText, readOwnRows } from '../../src/pricing/own-rows/own-rows.ts'
import { noOwnRows } from '../../src/pricing/own-rows/signed-rows.ts'
import { readEntries, readSealedNodes } from '../../src/pricing/own-rows/store.ts'
import { mainPaymentMethods } from '../../src/pricing/payment-methods/catalogue.ts'
import { paymentMethods } from '../../src/pricing/payment-methods/payment-method.ts'
import { orderPublicKey } from '../../src/signing/order-signature.ts'
import { rowsFollower } from '../../src/watcher/follow-rows.ts'
import { useDatabase } from '../support/database.ts'
import {
  insertForeignEntry,
  openAccountIn,
  readAuditActions,
  removeLastEntries,
  replaceLastEntry,
  swapNodes,
  tryToChangeEntries,
} from '../support/own-rows.ts'

const firstBlock = {
  height: 1,
  hash: `0x${'11'.repeat(32)}`,
  parentHash: `0x${'00'.repeat(32)}`,
  minedAt: new Date(0),
}
const nodeUrl = 'http://127.0.0.1:9/a-secret-key'

function draftOf(name: string, chainId: number) {
  return {
    name,
    title: `The ${name}`,
    chainId,
    coin: {
      symbol: 'ETH',
      name: 'Ether',
      decimals: 18,
      minimum: '0.001',
      depositMax: '100',
      isStable: false,
    },
    blockTimeMs: 2_000,
    confirmations: [1, 2, 3],
    feeModel: 'eip1559',
    canDelegate: true,
    priceBounds: { maxFeePerGasMax: '9', maxPriorityFeePerGasMin: '0', maxPriorityFeePerGasMax: '5' },
    coinMirrors: [],
    explorer: { name: 'Scan', url: 'https://scan.example' },
    walletRpcUrl: null,
    typicalFeeUsd: '0.01',
    isCreditable: false,
    coldAddress: null,
    gasBudget: '0',
  }
}

const tokenOn = (network: string, symbol = 'USDC') => ({
  network,
  symbol,
  name: 'A token',
  decimals: 6,
  contract: `0x${Buffer.from(symbol).toString('hex').padStart(40, 'c')}`,
  minimum: '1',
  depositMax: '1000',
  isStable: true,
  isCreditable: false,
})

describe('a process', () => {
  const database = useDatabase()
  const seed = randomBytes(32)
  const keys = writingParts(seed, [orderPublicKey(seed)], 'here')
  const sealer = openSealer(new Secret('cd'.repeat(32)))
  const rules = { sealer, chainIdProblem: (id: number) => chainIdProblem({ mode: 'sandbox' }, id, []) }
  let alerts: string[]
  let opened: string[]
  let later: string[]
  let disabled: ReadonlySet<number>

  beforeEach(() => {
    alerts = []
    opened = []
    later = []
    disabled = new Set()
  })

  function keeper(over: Partial<OwnRowsParts> = {}): OwnRowsKeeper {
    const error = (fields: { reason: string }) => void alerts.push(fields.reason)
    return new OwnRowsKeeper({
      db: database.db,
      log: { ...silentLog, error } as Log,
      sealer,
      reading: keys,
      entryMin: 0,
      chainIdProblem: rules.chainIdProblem,
      openNetwork: (row, urls) => void opened.push(`${row.name} ${urls.join()}`),
      onNewNodes: (urls) => void later.push(...urls),
      onRows: (_, off) => {
        disabled = off
      },
      ...over,
    })
  }

  const add = (name: string, chainId: number) =>
    addNetwork({ db: database.db, entryMin: 0, keys }, rules, draftOf(name, chainId), [nodeUrl])

  it('takes a network and a token once, and each addition has an entry in the audit log', async () => {
    const running = keeper()
    await running.refresh()
    expect(opened).toEqual([])
    await add('north', 70_131_337)
    await addToken({ db: database.db, entryMin: 0, keys }, tokenOn('north'), [])
    await running.refresh()
    await running.refresh()
    expect(opened).toEqual([`north ${nodeUrl}`])
    expect(running.rows.tokens.map(({ row }) => row.methodId)).toEqual([1001])
    expect(await readAuditActions(database.db)).toEqual([
      { action: 'network.added', subject: 'north' },
      { action: 'token.added', subject: 'north/USDC' },
    ])
    expect(alerts).toEqual([])
  })

  it('uses no row that the operator did not sign, and says so once', async () => {
    const known = readOwnRows(await readEntries(database.db), keys)
    const row = { ...draftOf('evil', 66_631_337), methodId: 1500, nodesHash: 'ab'.repeat(32) }
    const change = { type: 'network', row } as never
    const other = writingParts(randomBytes(32), [], 'here')
    const text = nextText(known, 'here', change)
    await insertForeignEntry(database.db, text, '')
    await insertForeignEntry(database.db, text, other.sign(text))
    await insertForeignEntry(database.db, 'no JSON', 'no signature')
    const running = keeper()
    await running.refresh()
    await running.refresh()
    expect(opened.map((line) => line.split(' ')[0])).toEqual(['north'])
    expect(running.rows.networks.map(({ row: { name } }) => name)).toEqual(['north'])
    expect(alerts).toEqual(Array.from({ length: 3 }, () => 'it has no valid signature of the operator'))
  })

  it('verifies entries again only after one was added or replaced', async () => {
    let verified = 0
    const isSigned = (text: string, signature: string) => {
      verified += 1
      return keys.isSigned(text, signature)
    }
    const running = keeper({ reading: { ...keys, isSigned } })
    await running.refresh()
    const before = (await readEntries(database.db)).length
    await running.refresh()
    expect(verified).toBe(before)
    await insertForeignEntry(database.db, 'one more', '')
    await running.refresh()
    expect(verified).toBe(2 * before + 1)
    await replaceLastEntry(database.owner, 'another text')
    await running.refresh()
    expect(verified).toBe(3 * before + 2)
    await removeLastEntries(database.owner, 1)
    await running.refresh()
    expect(verified).toBe(4 * before + 2)
    expect(running.rows.networks.map(({ row: { name } }) => name)).toEqual(['north'])
  })

  it('goes on with signed entries after foreign ones, and two that are added at once both count', async () => {
    await Promise.all([
      addToken({ db: database.db, entryMin: 0, keys }, tokenOn('north', 'DAI'), []),
      addToken({ db: database.db, entryMin: 0, keys }, tokenOn('base', 'PYUSD'), []),
    ])
    const running = keeper()
    await running.refresh()
    expect(running.rows.tokens.map(({ row }) => row.methodId)).toEqual([1001, 1002, 1003])
  })

  const inLease = async (network: string, work: (lease: Lease) => Promise<unknown>) => {
    const wanted = { name: `watch ${network}`, holderId: newId(), ttlMs: 60_000 }
    const lease = required(await acquireLease(database.db, wanted), 'the lease')
    await work(lease).finally(() => releaseLease(database.db, lease))
  }
  const followed = (network: string, serial: number) =>
    inLease(network, (lease) => {
      const parts = { db: database.db, network, lease, rowSerialOn: () => serial }
      return rowsFollower(parts)(() => Promise.resolve(0))
    })

  it('reads what was noted once in ten seconds while it holds the lease', async () => {
    const running = keeper()
    await running.refresh()
    await inLease('north', async (lease) => {
      let reads = 0
      const query = ((statement: { readonly name?: string }) => {
        if (statement.name === 'followed-serial') reads += 1
        return database.db.query(statement as never)
      }) as Db['query']
      const db = { ...database.db, query } as Db
      const step = rowsFollower({ db, network: 'north', lease, rowSerialOn: () => 0 })
      for (let count = 0; count < 5; count += 1) await step(() => Promise.resolve(0))
      expect(reads).toBe(1)
    })
  })

  it('keeps the nodes of an open network until a restart, and offers the same rows', async () => {
    const warned: string[] = []
    const warn = (fields: { network: string }) => void warned.push(fields.network)
    const running = keeper({ log: { ...silentLog, warn } as Log })
    await running.refresh()
    const before = running.rows.networks.map(({ serial }) => serial)
    const other = 'http://127.0.0.1:10/another-secret-key'
    await changeNodes({ db: database.db, entryMin: 0, keys }, sealer, 'north', [other])
    await running.refresh()
    await running.refresh()
    expect([warned, opened]).toEqual([['north'], [`north ${nodeUrl}`]])
    // Webhooks must not reach them, although this process does not use them yet.
    expect(later).toEqual([other])
    expect(running.rows.networks.map(({ serial }) => serial)).toEqual(before)
    opened = []
    await keeper().refresh()
    expect(opened).toEqual([`north ${other}`])
    await expect(
      changeNodes({ db: database.db, entryMin: 0, keys }, sealer, 'base', [other]),
    ).rejects.toThrow('is not one of your own networks')
    await changeNodes({ db: database.db, entryMin: 0, keys }, sealer, 'north', [nodeUrl])
  })

  it('offers a row only from when the watcher of its network has read blocks with it', async () => {
    const all = [1000, 1001, 1002, 1003]
    const running = keeper()
    await running.refresh()
    expect([...disabled].toSorted()).toEqual(all)
    expect([running.serialOn('north'), running.serialOn('base'), running.serialOn('ethereum')]).toEqual([
      running.rows.tokens.findLast(({ row }) => row.network === 'north')?.serial,
      running.rows.tokens.find(({ row }) => row.network === 'base')?.serial,
      0,
    ])
    await followed('north', running.serialOn('north'))
    await running.refresh()
    // The network has no cursor, so that following would begin after a payment.
    expect([...disabled].toSorted()).toEqual(all)
    await inTransaction(database.db, (tx) => startCursor(tx, 'north', firstBlock))
    await followed('north', running.serialOn('north'))
    await running.refresh()
    expect(running.rows.tokens.filter(({ row }) => disabled.has(row.methodId))).toMatchObject([
      { row: { network: 'base' } },
    ])
    await inTransaction(database.db, (tx) => startCursor(tx, 'base', firstBlock))
    await followed('base', running.serialOn('base'))
    await running.refresh()
    expect(disabled).toEqual(new Set())
  })

  it('reads no block with fewer rows than were offered, or notes rows without the lease', async () => {
    await addToken({ db: database.db, entryMin: 0, keys }, tokenOn('north', 'EURC'), [])
    const running = keeper()
    const before = running.serialOn('north')
    await running.refresh()
    const serial = running.serialOn('north')
    expect([before, disabled]).toEqual([0, new Set([1004])])
    await expect(followed('north', before)).rejects.toThrow(/no block is read without it/)
    await inLease('north', async (lease) => {
      const parts = { db: database.db, network: 'north', lease, rowSerialOn: () => serial }
      const step = async () => {
        await releaseLease(database.db, lease)
        return 0
      }
      await expect(rowsFollower(parts)(step)).rejects.toThrow()
      const failed = rowsFollower(parts)(() => Promise.reject(new Error('no node')))
      await expect(failed).rejects.toThrow('no node')
    })
    await running.refresh()
    expect(disabled).toEqual(new Set([1004]))
    await followed('north', serial)
    await running.refresh()
    expect(disabled).toEqual(new Set())
  })

  it('opens a network once even if that fails, goes on, and shows no URL', async () => {
    let tries = 0
    const openNetwork = () => {
      tries += 1
      throw new Error(`no engine for ${nodeUrl}`)
    }
    const running = keeper({ openNetwork })
    await running.refresh()
    await running.refresh()
    expect([tries, alerts.length]).toEqual([1, 4])
    expect(alerts.at(-1)).toContain('no engine for (a URL)')
  })

  it('does not offer what is disabled, and all on a disabled network', async () => {
    const parts = { db: database.db, entryMin: 0, keys }
    const pyusdOff = { kind: 'token', name: 'base/PYUSD', isEnabled: false } as const
    expect(await setRowState(parts, pyusdOff)).toMatchObject({ isChanged: true })
    expect(await setRowState(parts, pyusdOff)).toMatchObject({ isChanged: false })
    const northOff = { kind: 'network', name: 'north', isEnabled: false } as const
    expect(await setRowState(parts, northOff)).toMatchObject({ isChanged: true })
    await expect(setRowState(parts, { kind: 'network', name: 'ethereum', isEnabled: false })).rejects.toThrow(
      'is not one of your own networks',
    )
    await keeper().refresh()
    expect([...disabled].toSorted()).toEqual([1000, 1001, 1002, 1003, 1004])
  })

  it('keeps what it knows if the last entries were removed, and says so', async () => {
    const running = keeper()
    await running.refresh()
    await expect(tryToChangeEntries(database.db)).rejects.toThrow(/permission denied/)
    await expect(tryToChangeEntries(database.owner)).rejects.toThrow(/append-only/)
    await removeLastEntries(database.owner, 1)
    await running.refresh()
    expect(alerts.at(-1)).toContain('an older state was put back')
    expect(running.rows.networks[0]?.isEnabled).toBe(false)
    const { hashes } = readOwnRows(await readEntries(database.db), keys)
    const started = keeper({ entryMin: hashes.length + 1 })
    await started.refresh()
    expect([started.rows, alerts.at(-1)]).toEqual([noOwnRows, expect.stringContaining('OPERATOR_ENTRY_MIN')])
  })

  it('signs nothing after a chain that lacks signed entries, whatever else was put there', async () => {
    const state = { kind: 'token', name: 'base/PYUSD', isEnabled: true } as const
    const stored = await readEntries(database.db)
    const known = readOwnRows(stored, keys)
    const shorter = { db: database.db, keys, entryMin: known.hashes.length + 1 }
    await expect(setRowState(shorter, state)).rejects.toThrow(
      /OPERATOR_ENTRY_MIN is \d+: .*restore them first/,
    )
    const parts = { db: database.db, keys, entryMin: known.hashes.length }
    await setRowState(parts, state)
    const [last] = (await readEntries(database.db)).slice(-1)
    await setRowState(parts, { ...state, isEnabled: false })
    const [newest] = (await readEntries(database.db)).slice(-1)
    await removeLastEntries(database.owner, 2)
    await insertForeignEntry(database.db, newest?.text ?? '', newest?.signature ?? '')
    await expect(setRowState(parts, state)).rejects.toThrow(/are refused: restore what is missing first/)
    await removeLastEntries(database.owner, 1)
    await insertForeignEntry(database.db, last?.text ?? '', last?.signature ?? '')
    expect(await setRowState(parts, { ...state, isEnabled: false })).toMatchObject({ isChanged: true })
  })

  it('knows, but neither follows nor offers, a network that Coffer ships by now', async () => {
    const read = readOwnRows(await readEntries(database.db), keys)
    const [north] = read.networks
    const row = { ...(north?.row as OwnNetwork), name: 'scrl', title: 'Scrl', methodId: 1900, chainId: 8453 }
    const text = nextText(read, 'here', { type: 'network', row })
    await insertForeignEntry(database.db, text, keys.sign(text))
    const running = keeper({ chainIdProblem: () => undefined })
    await running.refresh()
    expect(alerts.at(-1)).toMatch(/cannot be used with this version of Coffer: chainId is the chain of base/)
    expect(opened.map((line) => line.split(' ')[0])).not.toContain('scrl')
    expect([networkOf('scrl')?.title, allEvmNetworks().some(({ name }) => name === 'scrl')]).toEqual([
      'Scrl',
      false,
    ])
    const { methods, unusable } = ownMethods(running.rows, [], undefined)
    const all = paymentMethods(methods, new Set(['scrl']), new Set(), unusable)
    expect([all.byId(1900)?.asset, all.followedById(1900)]).toEqual(['scrl/ETH', undefined])
    await removeLastEntries(database.owner, 1)
  })

  it('does not start on books in a method that no accepted entry states', async () => {
    const none = paymentMethods([], new Set())
    await requireKnownMethods(database.db, none)
    await openAccountIn(database.db, 'north/USDC')
    await expect(requireKnownMethods(database.db, none)).rejects.toThrow(/north.USDC.*OPERATOR_PUBLIC_KEYS/)
    const running = keeper()
    await running.refresh()
    const { methods } = ownMethods(running.rows, mainPaymentMethods(), undefined)
    await requireKnownMethods(database.db, paymentMethods(methods, new Set()))
  })

  it('follows no network with the nodes of another', async () => {
    await add('south', 70_231_337)
    await swapNodes(database.db, 'north', 'south')
    const running = keeper()
    await running.refresh()
    expect(opened.map((line) => line.split(' ')[0])).toEqual(['north'])
    expect(alerts.at(-1)).toContain('not the one that was signed')
  })

  it('refuses chains with real money in a sandbox, and a draft with every wrong field', async () => {
    await expect(add('west', 5_555)).rejects.toThrow(/chainId: 5555 may have real money/)
    const draft = { ...draftOf('base', 8453), gasBudget: 'much' }
    await expect(addNetwork({ db: database.db, entryMin: 0, keys }, rules, draft, [nodeUrl])).rejects.toThrow(
      '/gasBudget',
    )
    const { networks } = readOwnRows(await readEntries(database.db), keys)
    expect(networks.map(({ row }) => row.name)).toEqual(['north', 'south'])
  })

  it('reads the nodes under a new encryption key, and stores no URL in plain text', async () => {
    const renewed = openSealer(new Secret('ef'.repeat(32)), new Secret('cd'.repeat(32)))
    for await (const { changed, foreign } of reencryptNodes({ db: database.db, sealer: renewed }))
      expect([changed, foreign]).toEqual([1, 1])
    const [north] = readOwnRows(await readEntries(database.db), keys).networks
    const fresh = openSealer(new Secret('ef'.repeat(32)))
    const stored = await readSealedNodes(database.db)
    expect(north && openNodeList(fresh, north.row, stored)).toEqual([nodeUrl])
    const all = JSON.stringify([
      await readEntries(database.db),
      stored.map(({ sealed }) => sealed.toString()),
    ])
    expect(all).not.toContain('secret')
  })

  it('gives commands verified rows alone, with the cold addresses, and none while entries are missing', async () => {
    const xpub = 'an xpub'
    const operatorPublicKeys = [orderPublicKey(seed).toString('hex')]
    const config = { ...readConfig({}), mode: 'production', xpubEvm: xpub, operatorPublicKeys } as const
    const { db } = database
    const parts = { db, keys: writingParts(seed, [orderPublicKey(seed)], xpubFingerprint(xpub)), entryMin: 0 }
    const coldAddress = `0x${'ab'.repeat(20)}`
    const allowAll = { ...rules, chainIdProblem: () => undefined }
    await addNetwork(parts, allowAll, { ...draftOf('snow', 5_557), coldAddress }, [nodeUrl])
    await addNetwork(parts, allowAll, draftOf('dev', 70_331_337), [nodeUrl])
    await addToken(parts, tokenOn('snow'), [])
    const { rows } = await setRowState(parts, { kind: 'network', name: 'dev', isEnabled: false })
    expect(rows.hashes.length).toBe(4)
    await addToken(parts, tokenOn('dev'), [])
    const read = await readVerifiedRows(config, db)
    expect(read.networks.map(({ row }) => row.name)).toEqual(['snow'])
    expect(read.tokens.map(({ row }) => row.network)).toEqual(['snow'])
    expect((await readColdAddresses(config, db)).get('snow')).toBe(coldAddress)
    await expect(readVerifiedRows({ ...config, operatorEntryMin: 6 }, db)).rejects.toThrow('ENTRY_MIN is 6')
    await removeLastEntries(database.owner, 5)
    await expect(readVerifiedRows({ ...config, operatorEntryMin: 5 }, db)).rejects.toThrow('restore them')
  })
})
