import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { MockAgent } from 'undici'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addressFamilies } from '../../src/app/screening.ts'
import { systemClock } from '../../src/core/clock.ts'
import { silentLog } from '../../src/core/log.ts'
import { listRefresher } from '../../src/payments/screening/keep-list-fresh.ts'
import { findList, findListed } from '../../src/payments/screening/list-store.ts'
import { ListRefusedError, loadList, unloadList } from '../../src/payments/screening/load-list.ts'
import { openSource } from '../../src/payments/screening/open-source.ts'
import { useDatabase } from '../support/database.ts'
import { sanctionedAddressRecords, sanctionsListRecords } from '../support/payments/records.ts'
import { auditRecords } from '../support/people/records.ts'
import { fromNow } from '../support/records/values.ts'
import { chunks, screeningBy } from '../support/screening.ts'

const database = useDatabase()
let folder = ''

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'coffer-lists-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))
beforeEach(() => unloadList(database))

const address = (digit: string) => `0x${digit.repeat(40)}`
const parts = () => ({ db: database.db, families: addressFamilies })

function load(addresses: readonly string[], isForced = false, freshAt = new Date()) {
  return loadList(parts(), { name: 'a test', freshAt, chunks: chunks(addresses.join('\n')) }, isForced)
}

const verdictOf = (written: string, hasSource = false) =>
  screeningBy({ hasSource }).screen(database.db, 'ethereum', written)

describe('loading a list', () => {
  it('replaces the list in force, and keeps the date since which an address is listed', async () => {
    expect(await load([address('a'), address('b')])).toMatchObject({ isNew: true, addressCount: 2 })
    await sanctionedAddressRecords.change(database.owner, {}, { listedAt: '2026-01-01' })
    await load([address('b'), address('c')])
    const listed = await findListed(database.db, ['a', 'b', 'c'].map(address))
    expect(listed.map(({ canonical }) => canonical).sort()).toEqual([address('b'), address('c')])
    expect(listed.find(({ canonical }) => canonical === address('b'))?.listedAt).toEqual(
      new Date('2026-01-01'),
    )
    const entries = await auditRecords.all(database.db, { action: 'sanctions_list.loaded' }, 'details')
    expect(entries.at(-1)?.details['addressCount']).toBe(2)
  })

  it('only renews a list that did not change', async () => {
    await load([address('a')], false, new Date(Date.now() - 3_600_000))
    const before = await findList(database.db)
    expect(await load([address('a')])).toMatchObject({ isNew: false })
    const after = await findList(database.db)
    expect(after?.id).toBe(before?.id)
    expect(after?.ageS).toBeLessThan(60)
  })

  it('refuses a list that lost more than half or is empty, unless it is forced', async () => {
    await load(['a', 'b', 'c', 'd', 'e'].map(address))
    await expect(load([address('a'), address('b')])).rejects.toThrow(ListRefusedError)
    await expect(load(['# nothing'])).rejects.toThrow(ListRefusedError)
    expect(await verdictOf(address('e'))).toBe('listed')
    await load([address('a')], true)
    expect(await verdictOf(address('e'))).toBe('passed')
  })

  it('H03 finds an address in any spelling', async () => {
    const segwit = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
    await load([
      '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD',
      '0XDE709F2102306220921060314715629080E2FB77',
      segwit.toUpperCase(),
    ])
    for (const written of [segwit, segwit.toUpperCase()]) expect(await verdictOf(written)).toBe('listed')
    expect(await verdictOf('0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed')).toBe('listed')
    expect(await verdictOf('0xde709f2102306220921060314715629080e2fb77')).toBe('listed')
    expect(await verdictOf(address('0'))).toBe('passed')
  })

  it('leaves one complete list in force if several are loaded at once', async () => {
    await Promise.all(
      ['a', 'b', 'c', 'd'].map((digit) => load([address(digit), address('e')]).catch(() => undefined)),
    )
    const list = await findList(database.db)
    expect(await sanctionedAddressRecords.count(database.db)).toBe(list?.addressCount)
  })
})

describe('H02 a list that is too old', () => {
  it('passes nobody, and still reports the addresses that it lists', async () => {
    await load([address('a')], false, new Date(Date.now() - 49 * 3_600_000))
    expect(await verdictOf(address('a'))).toBe('listed')
    expect(await verdictOf(address('b'))).toBe('unknown')
    await load([address('a')])
    expect(await verdictOf(address('b'))).toBe('passed')
  })

  it('includes a list that should have been loaded and never was', async () => {
    expect(await verdictOf(address('b'), true)).toBe('unknown')
    expect(await verdictOf(address('b'), false)).toBe('passed')
  })
})

describe('the refresher', () => {
  const refresh = (sanctionsFile: string) =>
    listRefresher({ ...parts(), sanctionsFile, clock: systemClock, log: silentLog }).runBatch(
      new AbortController().signal,
    )

  it('reads a file when it is due, and not before', async () => {
    const file = path.join(folder, 'list.txt')
    await writeFile(file, address('a'))
    await refresh(file)
    expect(await verdictOf(address('a'))).toBe('listed')
    await writeFile(file, address('b'))
    await refresh(file)
    expect(await verdictOf(address('b'))).toBe('passed')
    await sanctionsListRecords.change(database.owner, {}, { readAt: fromNow('-7 hours') })
    await refresh(file)
    expect(await verdictOf(address('b'))).toBe('listed')
  })

  it('keeps the current list if the file is missing or not a list', async () => {
    const file = path.join(folder, 'broken.txt')
    await writeFile(file, address('a'))
    await refresh(file)
    await sanctionsListRecords.change(database.owner, {}, { readAt: fromNow('-7 hours') })
    await writeFile(file, '<html>Sorry</html>')
    await refresh(file)
    await rm(file)
    await refresh(file)
    expect(await verdictOf(address('a'))).toBe('listed')
  })
})

describe('a source', () => {
  const { signal } = new AbortController()

  it('is read over https only, and is reported without the part that may be a key', async () => {
    await expect(openSource('http://lists.test/sdn.xml', signal)).rejects.toThrow('must be an https URL')
    const agent = new MockAgent()
    agent.disableNetConnect()
    const lists = agent.get('https://lists.test')
    lists.intercept({ path: '/plain?key=secret' }).reply(200, address('f'))
    lists.intercept({ path: '/gone' }).reply(404, 'no')
    const source = await openSource('https://lists.test/plain?key=secret', signal, agent)
    expect(source.name).toBe('https://lists.test/plain')
    await loadList(parts(), source)
    expect(await verdictOf(address('f'))).toBe('listed')
    await expect(openSource('https://lists.test/gone', signal, agent)).rejects.toThrow('status 404')
  })

  it('is as fresh as the last write of its file', async () => {
    const file = path.join(folder, 'fresh.txt')
    await writeFile(file, address('a'))
    const { freshAt } = await openSource(file, signal)
    expect(Date.now() - freshAt.getTime()).toBeLessThan(60_000)
    await expect(openSource(path.join(folder, 'none'), signal)).rejects.toThrow('ENOENT')
  })
})
