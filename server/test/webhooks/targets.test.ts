/**
 * Tests the addresses to which the webhooks' agent connects, with a real name server. Each refusal comes
 * before any connection.
 */

import { request } from 'undici'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { endpointsOf } from '../../src/core/network-endpoint.ts'
import { webhookUrlError } from '../../src/merchants/webhook-endpoint.ts'
import {
  type GuardedAgentParts,
  openGuardedAgent,
  TargetRefusedError,
  type TargetRules,
} from '../../src/webhooks/guarded-agent.ts'
import { openResolver, openWebhookResolver, resolveAsSystem } from '../../src/webhooks/resolve.ts'
import { type DnsAnswer, type Question, recordsOf, startDnsServer } from '../support/dns-server.ts'
import { type MerchantServer, startMerchantServer } from '../support/merchant-server.ts'
import { localRules } from './dispatching.ts'

let server: MerchantServer

beforeEach(async () => {
  server = await startMerchantServer()
})
afterEach(() => server.close())

function agentOf({
  rules,
  ...parts
}: Partial<Omit<GuardedAgentParts, 'rules'>> & { rules?: Partial<TargetRules> }) {
  const agent = openGuardedAgent({ ...parts, rules: { ...localRules, ...rules } })
  onTestFinished(() => agent.destroy())
  return agent
}

/** Returns the status of the answer, or the reason why nothing was sent. */
async function sent(url: string, agent: ReturnType<typeof agentOf>): Promise<number | string> {
  try {
    const { statusCode, body } = await request(url, { method: 'POST', body: '{}', dispatcher: agent })
    await body.dump()
    return statusCode
  } catch (error) {
    if (error instanceof TargetRefusedError) return `refused: ${error.message}`
    return error instanceof Error && 'code' in error ? String(error.code) : String(error)
  }
}

const inside = 'refused: the address is private, local or reserved'
const ownRules = 'refused: the address belongs to this service'
const refusedByName = 'refused: the URL points to this service'

/** The first and last address of each range, and other notations of forbidden addresses. */
const forbidden = [
  '0.0.0.0',
  '0.255.255.255',
  '100.64.0.0',
  '100.127.255.255',
  '169.254.0.0',
  '169.254.169.254',
  '169.254.255.255',
  '192.0.0.0',
  '192.0.0.255',
  '192.0.2.1',
  '192.88.99.1',
  '198.18.0.0',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.0',
  '239.255.255.255',
  '240.0.0.0',
  '255.255.255.255',
  '168.63.129.16',
  '::',
  'fe80::',
  'febf:ffff::1',
  'fec0::1',
  'ff00::1',
  'ff02::1',
  'fd00:ec2::254',
  'fd20:ce::254',
  '64:ff9b::7f00:1',
  '64:ff9b::a00:1',
  '64:ff9b:1::a00:1',
  '2002:7f00:1::',
  '2002:a9fe:a9fe::',
  '2001::1',
  '2001:0:7f00:1::',
  '2001:db8::1',
  '100::1',
  '5f00::1',
  '3fff::1',
  '4000::1',
  '::ffff:169.254.169.254',
  '::ffff:a9fe:a9fe',
  '::ffff:0:7f00:1',
  '::127.0.0.1',
  '::7f00:1',
]
const inner = [
  '127.0.0.0',
  '127.0.0.1',
  '127.255.255.255',
  '10.0.0.0',
  '10.255.255.255',
  '172.16.0.0',
  '172.31.255.255',
  '192.168.0.0',
  '192.168.255.255',
  '::1',
  'fc00::1',
  'fdff:ffff::1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:10.0.0.1',
  '::ffff:c0a8:1',
]
const disguised = [
  '2130706433',
  '0x7f.0.0.1',
  '0x7f000001',
  '0177.0.0.1',
  '017700000001',
  '127.1',
  '127.0.0.1.',
  '１２７.0.0.1',
]

const strict: TargetRules = { ...localRules, allowPrivate: false }

function urlOf(host: string, port = server.port): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}/hook`
}

describe('F07 a literal address of a private or reserved range', () => {
  it.each([...forbidden, ...inner, ...disguised])(
    '%s is refused at registration and at connect',
    async (host) => {
      const registration = { ...strict, ownUrls: [] }
      expect(webhookUrlError(urlOf(host), registration)).toMatch(/private|reserved/)
      expect(await sent(urlOf(host), agentOf({ rules: strict }))).toBe(inside)
      expect(server.connections).toBe(0)
    },
  )

  it.each(forbidden)('%s is refused even if private networks are allowed', async (host) => {
    expect(webhookUrlError(urlOf(host), { ...localRules, ownUrls: [] })).toMatch(/private|reserved/)
    expect(await sent(urlOf(host), agentOf({}))).toBe(inside)
  })
})

describe('F10 a name', () => {
  /**
   * Returns an agent that asks a name server for every host. It may reach loopback, which represents a public
   * address.
   */
  async function asking(
    script: (question: Question) => DnsAnswer | undefined,
    rules: Partial<TargetRules> = {},
  ) {
    const dns = await startDnsServer(script)
    onTestFinished(() => dns.close())
    return { dns, agent: agentOf({ rules, resolve: openResolver(() => [dns.address]) }) }
  }

  it('with an allowed address is reached, after one question for each kind of record', async () => {
    const { dns, agent } = await asking((question) => recordsOf(question, ['127.0.0.1']))
    expect(await sent(urlOf('hook.example'), agent)).toBe(200)
    expect(dns.asked.map(({ type }) => type).sort()).toEqual(['A', 'AAAA'])
    expect(server.calls).toHaveLength(1)
  })

  it.each([
    ['an A and an AAAA record', ['127.0.0.1', 'fe80::1']],
    ['several A records, the first one good', ['127.0.0.1', '169.254.169.254']],
    ['several A records, the last one good', ['169.254.169.254', '127.0.0.1']],
    ['a mapped AAAA record', ['127.0.0.1', '::ffff:169.254.169.254']],
    ['a NAT64 record', ['127.0.0.1', '64:ff9b::a9fe:a9fe']],
  ])('of which one record is forbidden is refused completely: %s', async (_what, addresses) => {
    const { agent } = await asking((question) => recordsOf(question, addresses))
    expect(await sent(urlOf('mixed.example'), agent)).toBe(inside)
    expect(server.connections).toBe(0)
  })

  it('that resolves to a public address is limited to the allowed ports, and one that resolves to a private address is not', async () => {
    const refused = 'refused: webhooks may not use this port'
    const rules = { ports: [443, 8443] }
    for (const [url, address] of [
      ['https://postgres.example:5433/', '1.1.1.1'],
      ['https://node.example:8545/', '2606:4700::1111'],
      ['https://web.example:80/', '1.1.1.1'],
      ['http://1.1.1.1:18443/', ''],
      ['https://[2606:4700::1111]:6380/', ''],
    ] as const) {
      const { agent } = await asking((question) => recordsOf(question, [address]), rules)
      expect(await sent(url, agent)).toBe(refused)
    }
    const { agent } = await asking((question) => recordsOf(question, ['127.0.0.1']), rules)
    expect(await sent(urlOf('inner.example'), agent)).toBe(200)
  })

  it('that resolves to a private network is refused if that is not allowed', async () => {
    for (const address of ['127.0.0.1', '10.0.0.1', '::1', 'fc00::1']) {
      const { agent } = await asking((question) => recordsOf(question, [address]), { allowPrivate: false })
      expect(await sent(urlOf('inner.example'), agent)).toBe(inside)
    }
    expect(server.connections).toBe(0)
  })

  it('that is an alias of a forbidden one is refused', async () => {
    const { agent } = await asking(({ name, type }) => ({
      answers: [
        { type: 'CNAME', name, ttl: 0, data: 'metadata.internal' },
        ...(type === 'A'
          ? [{ type: 'A', name: 'metadata.internal', ttl: 0, data: '169.254.169.254' } as const]
          : []),
      ],
    }))
    expect(await sent(urlOf('alias.example'), agent)).toBe(inside)
  })

  it('that changes after the check is reached at the checked address, because it is resolved once', async () => {
    let asked = 0
    const { agent } = await asking((question) => {
      if (question.type === 'A') asked += 1
      return recordsOf(question, [asked <= 1 ? '127.0.0.1' : '169.254.169.254'])
    })
    expect([await sent(urlOf('rebinding.example'), agent), asked]).toEqual([200, 1])
  })

  it('that changes between two connections is resolved again, however long its TTL, and then refused', async () => {
    let target = '127.0.0.1'
    const { dns, agent } = await asking((question) => recordsOf(question, [target], 86_400))
    server.answer((response) => response.writeHead(200, { connection: 'close' }).end())
    expect(await sent(urlOf('rebinding.example'), agent)).toBe(200)
    target = '169.254.169.254'
    expect(await sent(urlOf('rebinding.example'), agent)).toBe(inside)
    expect([dns.asked.length, server.calls.length]).toEqual([4, 1])
  })

  it.each([
    ['no address', {}, 'refused: the host name has no address'],
    ['no such name', { code: 3 }, 'ENOTFOUND'],
    ['a server that fails', { code: 2 }, 'ESERVFAIL'],
  ])('with %s fails with that reason', async (_what, answer, said) => {
    const { agent } = await asking(() => answer)
    expect(await sent(urlOf('nothing.example'), agent)).toBe(said)
  })

  it('whose server fails on one kind of record is reached by the other', async () => {
    const { agent } = await asking((question) =>
      question.type === 'AAAA' ? { code: 2 } : recordsOf(question, ['127.0.0.1']),
    )
    expect(await sent(urlOf('half.example'), agent)).toBe(200)
  })
})

describe('names that merchants give', () => {
  it('are resolved by name servers, never by the threads of the process, if strangers use the service', async () => {
    const dns = await startDnsServer(({ name, type }) =>
      name === 'silent.example' ? undefined : recordsOf({ name, type }, ['192.0.2.7']),
    )
    onTestFinished(() => dns.close())
    const resolve = openWebhookResolver({
      servers: [],
      allowPrivate: false,
      serversOfSystem: () => [dns.address],
    })
    let answered = 0
    for (let count = 0; count < 20; count += 1)
      void resolve('silent.example').catch(() => {
        answered += 1
      })
    expect(await resolve('hook.example')).toEqual([{ address: '192.0.2.7', family: 4 }])
    expect(await resolveAsSystem('localhost')).not.toEqual([])
    expect(answered).toBe(0)
  })

  it('are resolved by the system if private networks are allowed, and by the configured name servers before all', async () => {
    const dns = await startDnsServer((question) => recordsOf(question, ['192.0.2.7']))
    onTestFinished(() => dns.close())
    expect(openWebhookResolver({ servers: [], allowPrivate: true })).toBe(resolveAsSystem)
    const resolve = openWebhookResolver({ servers: [dns.address], allowPrivate: true })
    expect(await resolve('hook.lan')).toEqual([{ address: '192.0.2.7', family: 4 }])
  })
})

describe('F11 an address of our own', () => {
  const settings = (port: number) => [
    `http://user:secret@127.0.0.1:${port}/rpc`,
    `https://localhost:${port}`,
    `wss://[::1]:${port}/`,
    `postgresql://coffer_app:pw@127.0.0.1:${port}/coffer`,
    `postgresql:///coffer?host=/run/postgresql&port=${port}`,
    `redis://:pw@localhost:${port}/0`,
  ]
  const onThisHost = ['127.0.0.1', '127.9.9.9', 'localhost', '::1', '::ffff:127.0.0.1', '2130706433']

  it.each([0, 1, 2, 3, 4, 5])(
    'in the settings is refused in every spelling, at registration and at connect: %i',
    async (target) => {
      const own = settings(server.port)[target] ?? ''
      const agent = agentOf({ rules: { ownEndpoints: () => endpointsOf(own) } })
      for (const host of onThisHost) {
        expect(webhookUrlError(urlOf(host), { ...localRules, ownUrls: [own] }), host).toBe(
          'must not point to this server',
        )
        expect(await sent(urlOf(host), agent), host).toMatch(
          /^refused: the (address belongs|URL points) to this service$/,
        )
      }
      expect(
        webhookUrlError(urlOf('127.0.0.1', server.port + 1), { ...localRules, ownUrls: [own] }),
      ).toBeUndefined()
      expect(server.connections).toBe(0)
    },
  )

  it('is refused if a name resolves to it', async () => {
    const dns = await startDnsServer((question) => recordsOf(question, ['127.0.0.1']))
    onTestFinished(() => dns.close())
    const rules = { ownEndpoints: () => endpointsOf(`http://127.0.0.1:${server.port}`) }
    const agent = agentOf({ rules, resolve: openResolver(() => [dns.address]) })
    expect(await sent(urlOf('alias.example'), agent)).toBe(ownRules)
    expect(server.connections).toBe(0)
  })

  it('is refused from when it is added to a running service', async () => {
    const nodes: string[] = []
    const agent = agentOf({ rules: { ownEndpoints: () => nodes.flatMap(endpointsOf) } })
    server.answer((response) => response.writeHead(200, { connection: 'close' }).end())
    expect(await sent(urlOf('127.0.0.1'), agent)).toBe(200)
    nodes.push(`http://localhost:${server.port}/key`)
    expect(await sent(urlOf('127.0.0.1'), agent)).toBe(ownRules)
  })

  it('with a name is refused by that name and by the private address that it resolves to', async () => {
    const rules = { ownEndpoints: () => endpointsOf(`postgres://db.internal:${server.port}/coffer`) }
    const resolveOwn = async () => [{ address: '127.0.0.1', family: 4 }]
    const agent = agentOf({ rules, resolveOwn })
    expect(await sent(urlOf('DB.internal.'), agent)).toBe(refusedByName)
    expect(await sent(urlOf('127.0.0.1'), agent)).toBe(ownRules)
    expect(server.connections).toBe(0)
  })

  it('does not exclude others that share a public address with it, nor other ports', async () => {
    const endpoints = endpointsOf('https://node.provider.example/key')
    const resolveOwn = async () => [{ address: '93.184.216.34', family: 4 }]
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
    const agent = agentOf({ rules: { ownEndpoints: () => endpoints }, resolveOwn, resolve })
    expect(await sent(urlOf('node.provider.example'), agent)).toBe(200)
    expect(await sent('https://node.provider.example/x', agent)).toBe(refusedByName)
    expect(
      webhookUrlError('https://node.provider.example/x', {
        ...strict,
        ownUrls: ['https://node.provider.example'],
      }),
    ).toBe('must not point to this server')
  })
})

describe('a proxy of the environment', () => {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']
  const before = Object.fromEntries([...names, 'NODE_USE_ENV_PROXY'].map((name) => [name, process.env[name]]))
  afterEach(() => {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  })

  it('is not used: the agent connects by itself, and applies its own refusals', async () => {
    const proxy = await startMerchantServer()
    onTestFinished(() => proxy.close())
    for (const name of names) process.env[name] = `http://127.0.0.1:${proxy.port}`
    process.env['NODE_USE_ENV_PROXY'] = '1'
    expect(await sent(urlOf('127.0.0.1'), agentOf({}))).toBe(200)
    expect(await sent(urlOf('127.0.0.1'), agentOf({ rules: strict }))).toBe(inside)
    expect([proxy.connections, server.calls.length]).toEqual([0, 1])
  })
})
