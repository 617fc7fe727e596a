/** Generates example values, so that the OpenAPI document shows every body and reply as it would be sent. */
import type { JsonSchema } from '../json-schema.ts'

/**
 * Returns a value that fits the schema. The example of a request has only the required fields; the example of
 * a reply has all fields.
 */
export function exampleOf(schema: JsonSchema, part: 'request' | 'reply', name = ''): unknown {
  const { examples: [example] = [] } = schema
  // Compares with `undefined`, because null is a valid example, too.
  if (example !== undefined) return example
  const shown = schema.const ?? schema.default ?? schema.enum?.[0]
  if (shown !== undefined) return shown
  if (schema.anyOf !== undefined) return exampleOf(schema.anyOf[0] ?? {}, part, name)
  switch (schema.type) {
    case 'object':
      return objectExample(schema, part)
    case 'array':
      return schema.items === undefined ? [] : [exampleOf(schema.items, part, singular(name))]
    case 'integer':
    case 'number':
      return numbers.get(name) ?? schema.minimum ?? 1
    case 'boolean':
      return true
    default:
      return textExample(schema, name)
  }
}

function objectExample({ properties = {}, required = [] }: JsonSchema, part: 'request' | 'reply'): unknown {
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => part === 'reply' || required.includes(name))
      .map(([name, property]) => [name, exampleOf(property, part, name)]),
  )
}

function textExample({ description = '', pattern }: JsonSchema, name: string): string {
  const known = texts.get(name)
  if (known !== undefined) return known
  if (pattern?.startsWith('^[0-9a-fA-F]{8}') === true || /(ID|Id|^id)$/.test(name)) return uuidExample
  if (description.startsWith('YYYY-MM-DD') || /(At|From|To)$/.test(name)) return '2027-03-14T15:09:26.535Z'
  return description.includes('decimal string') ? '12.50' : 'text'
}

function singular(name: string): string {
  return name.endsWith('ses') ? name.slice(0, -2) : name.replace(/s$/, '')
}

export const uuidExample = '0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70'

/** Example texts by field name, for fields whose schema has no example. */
const texts: ReadonlyMap<string, string> = new Map([
  ['action', 'session.started'],
  ['address', '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'],
  ['amount', '12.50'],
  ['apiKey', 'ck_EXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLE'],
  ['cause', 'books'],
  ['checkoutURL', 'https://pay.example/pay/0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70'],
  ['claimURL', 'https://pay.example/claim/0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70#EXAMPLE'],
  ['code', 'not-found'],
  ['coldAddress', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
  ['contract', '0x5FbDB2315678afecb367f032d93F642f64180aa3'],
  ['csrfToken', 'EXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEE'],
  ['currency', 'USDT'],
  ['currentPassword', 'correct horse battery staple'],
  ['description', 'Order 1042'],
  ['detail', 'M1: the entries of a journal do not add up'],
  ['email', 'owner@shop.example'],
  ['eventType', 'invoice.paid'],
  ['explanation', 'the recipient could not be confirmed'],
  ['ipAddress', '203.0.113.7'],
  ['ipWhitelist', '203.0.113.7'],
  ['key', 'ck_EXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLE'],
  ['kind', 'withdrawal'],
  ['lookalike', '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'],
  ['merchantName', 'Corner Shop'],
  ['message', 'no node answers'],
  ['name', 'Corner Shop'],
  ['network', 'ethereum'],
  ['newPassword', 'another horse battery staple'],
  ['obstacle', 'no block was booked for 40 s'],
  ['password', 'correct horse battery staple'],
  ['percent', '1.5'],
  ['pointer', '#/amount'],
  ['proof', '1793430000000.EXAMPLE'],
  ['reason', 'the recipient could not be confirmed'],
  ['recipient', '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'],
  ['redirectURL', 'https://shop.example/thanks'],
  ['reference', 'order-1042'],
  ['refreshToken', 'cr_EXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLE'],
  ['replacedBy', '0x5e1d3a76fbf824220eafc8c79ad578ad2b67d01b0c2425eb1f1347e8f50882ab'],
  ['secret', 'a-secret-of-at-least-32-characters'],
  ['sender', '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'],
  ['stage', 'queued'],
  ['state', 'pending'],
  ['subject', '0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70'],
  ['symbol', 'USDT'],
  ['token', 'eyJhbGciOiJIUzI1NiJ9.EXAMPLE.EXAMPLE'],
  ['tolerancePercent', '0.5'],
  ['txHash', '0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b'],
  ['type', 'onetime'],
  ['until', '2027-03-14T15:09:26.535Z'],
  ['uri', 'ethereum:0x70997970C51812dc3A010C7d01b50e0d17dc79C8@31337?value=2500000000000000'],
  ['url', 'https://shop.example/coffer-events'],
  ['userAgent', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'],
  ['webhookUrl', 'https://shop.example/coffer-events'],
  ['worthUSD', '25.00'],
])

const numbers: ReadonlyMap<string, number> = new Map([
  ['confirmations', 2],
  ['decimals', 6],
  ['limit', 20],
])
