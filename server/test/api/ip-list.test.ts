import { describe, expect, it } from 'vitest'
import { useDatabase } from '../support/database.ts'
import { auditRecords } from '../support/people/records.ts'
import { beginning } from '../support/records/values.ts'
import { startApi, useApi } from './api.ts'

const database = useDatabase()
const api = useApi(database)

async function openMerchant() {
  const { token } = await api.register()
  const id = await api.makeMerchant(token)
  const key = await api.makeKey(token, id)
  const allow = (ipAddresses: unknown) =>
    api.call('PUT', `/ipAddress/${id}`, { token, json: { ipAddresses } })
  return { token, id, key, allow, path: `/merchants/${id}` }
}

describe('PUT /ipAddress/{merchantID}', () => {
  it('returns the stored list, which the merchant then shows, and applies it to the key at once on every process', async () => {
    const other = await startApi(database.db)
    const { token, key, allow, path } = await openMerchant()
    expect((await other.call('GET', path, { key })).status).toBe(200)
    const answer = await allow(['192.0.2.1', '2001:db8::/32'])
    expect(answer).toMatchObject({ status: 200, body: { ipAddresses: ['192.0.2.1', '2001:db8::/32'] } })
    for (const server of [api, other]) {
      expect(await server.call('GET', path, { key })).toMatchObject({
        status: 403,
        body: { code: 'forbidden' },
      })
      expect((await server.call('GET', '/merchants', { key })).status).toBe(403)
      const read = await server.call('GET', path, { token })
      expect(read.body.settings.ipWhitelist).toEqual(['192.0.2.1', '2001:db8::/32'])
    }
    await allow(['127.0.0.1'])
    expect((await other.call('GET', path, { key })).status).toBe(200)
    await other.close()
  })

  it.each([
    ['G13 an IPv4-mapped address is the IPv4 address', ['::ffff:127.0.0.1'], ['127.0.0.1'], true],
    ['G13 an IPv4-mapped address in hex is the IPv4 address', ['::FFFF:7f00:1'], ['127.0.0.1'], true],
    ['G13 an IPv4-mapped range is the IPv4 range', ['::ffff:127.0.0.0/104'], ['127.0.0.0/8'], true],
    ['G13 a range is stored without its host bits', ['127.1.2.3/8'], ['127.0.0.0/8'], true],
    ['G13 a range of one address is the address', ['127.0.0.1/32'], ['127.0.0.1'], true],
    ['G13 the range of everything is everything', ['0.0.0.0/0'], ['0.0.0.0/0'], true],
    ['G13 IPv6 loopback is not IPv4 loopback', ['::1'], ['::1'], false],
    ['G13 IPv6 is stored in its short lower-case form', ['2001:0DB8:0:0:0:0:0:1'], ['2001:db8::1'], false],
    ['G13 doubles are stored once', ['10.0.0.1', '10.0.0.1/32', '::ffff:10.0.0.1'], ['10.0.0.1'], false],
    ['G13 blanks around an entry are dropped', [' 127.0.0.1 '], ['127.0.0.1'], true],
  ])('%s', async (_title, entries, stored, isOpen) => {
    const { key, allow, path } = await openMerchant()
    expect(await allow(entries)).toMatchObject({ status: 200, body: { ipAddresses: stored } })
    expect((await api.call('GET', path, { key })).status).toBe(isOpen ? 200 : 403)
  })

  it.each([
    ['G13 leading zeros are refused, which some read as octal', '127.000.000.001'],
    ['G13 a zone is refused', 'fe80::1%eth0'],
    ['G13 a short form is refused', '127.1'],
    ['G13 a number is refused', '2130706433'],
    ['G13 hex is refused', '0x7f.0.0.1'],
    ['G13 the compatible form is refused', '::127.0.0.1'],
    ['G13 a port is refused', '127.0.0.1:80'],
    ['G13 a name is refused', 'localhost'],
    ['G13 a prefix too long is refused', '127.0.0.1/33'],
    ['G13 a prefix with a zero in front is refused', '127.0.0.1/08'],
    ['G13 a netmask is refused', '127.0.0.0/255.0.0.0'],
    ['G13 two in one are refused', '127.0.0.1,10.0.0.1'],
    ['G13 a range of two ends is refused', '127.0.0.1-127.0.0.9'],
    ['G13 what is no address is refused', 'nonsense'],
  ])('%s', async (_title, entry) => {
    const { token, allow, path } = await openMerchant()
    await allow(['10.0.0.1'])
    const answer = await allow(['192.0.2.1', entry, '192.0.2.2'])
    expect(answer.status).toBe(400)
    expect(answer.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(['/ipAddresses/1'])
    expect((await api.call('GET', path, { token })).body.settings.ipWhitelist).toEqual(['10.0.0.1'])
  })

  it.each([
    [[], '/ipAddresses'],
    [undefined, '/ipAddresses'],
    ['127.0.0.1', '/ipAddresses'],
    [[5], '/ipAddresses/0'],
    [[null], '/ipAddresses/0'],
    [[''], '/ipAddresses/0'],
    [Array.from({ length: 201 }, (_, index) => `10.0.0.${index}`), '/ipAddresses'],
  ])('answers 400 for %o and names the field', async (entries, pointer) => {
    const { allow } = await openMerchant()
    const answer = await allow(entries)
    expect(answer.status).toBe(400)
    expect(answer.body.errors[0].pointer).toBe(pointer)
  })

  it('answers 403 to a key, also to the key of that merchant', async () => {
    const { id, key } = await openMerchant()
    const json = { ipAddresses: ['127.0.0.1'] }
    expect((await api.call('PUT', `/ipAddress/${id}`, { key, json })).status).toBe(403)
    expect((await api.call('DELETE', `/ipAddress/${id}`, { key })).status).toBe(403)
  })

  it('G12 ignores forwarding headers that a client sends', async () => {
    const { key, allow, path } = await openMerchant()
    await allow(['192.0.2.1'])
    const headers = { 'x-forwarded-for': '192.0.2.1', 'x-real-ip': '192.0.2.1', forwarded: 'for=192.0.2.1' }
    expect((await api.call('GET', path, { key, headers })).status).toBe(403)
  })
})

describe('DELETE /ipAddress/{merchantID}', () => {
  it('lets the key be used from any address again and answers 204 every time', async () => {
    const { token, id, key, allow, path } = await openMerchant()
    await allow(['192.0.2.1'])
    for (let time = 0; time < 2; time++) {
      const answer = await api.call('DELETE', `/ipAddress/${id}`, { token })
      expect({ status: answer.status, text: answer.text }).toEqual({ status: 204, text: '' })
      expect((await api.call('GET', path, { key })).status).toBe(200)
    }
  })
})

it('changes of the list are audited, and requests that change nothing are not', async () => {
  const { token, id, allow } = await openMerchant()
  await allow(['192.0.2.1/32'])
  await api.call('DELETE', `/ipAddress/${id}`, { token })
  await api.call('DELETE', `/ipAddress/${id}`, { token })
  const entries = await auditRecords.all(
    database.db,
    { merchantId: id, action: beginning('merchant.') },
    'action',
    'details',
  )
  expect(entries).toEqual([
    { action: 'merchant.ip_list_set', details: { ipAddresses: ['192.0.2.1'] } },
    { action: 'merchant.ip_list_removed', details: {} },
  ])
})
