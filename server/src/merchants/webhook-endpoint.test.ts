import { describe, expect, it } from 'vitest'
import { type WebhookRules, webhookUrlError } from './webhook-endpoint.ts'

const strict: WebhookRules = {
  allowHttp: false,
  allowPrivate: false,
  ports: [443, 8443],
  ownUrls: ['https://pay.example'],
}
const development: WebhookRules = { allowHttp: true, allowPrivate: true, ownUrls: ['http://127.0.0.1:3000'] }

describe('in production a webhook', () => {
  it.each([
    'https://shop.example',
    'https://shop.example/hook?x=1#part',
    'HTTPS://SHOP.EXAMPLE:443/',
    'https://shop.example:8443/',
    'https://1.1.1.1/hook',
    'https://[2606:4700::1111]/hook',
    'https://bücher.example/',
    'https://pay.example:8443/',
  ])('may be %s', (url) => expect(webhookUrlError(url, strict)).toBeUndefined())

  it.each([
    '',
    'shop.example',
    '//shop.example',
    'https:shop.example',
    'https:/shop.example',
    'https:///shop.example',
    'https://',
    'http://shop.example/',
    'ftp://shop.example/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https://user@shop.example/',
    'https://:pw@shop.example/',
    ' https://shop.example/',
    'https://shop.example/a b',
    'https://shop.example/\n',
    'https://shop.example\\@127.0.0.1/',
    'https://sh\top.example/',
    'https://shop.example:99999/',
    'https://shop.example:22/',
    'https://shop.example:25/',
    'https://shop.example:6379/',
    'https://1.1.1.1:6379/',
    ...[80, 3000, 2181, 5432, 5433, 5601, 6380, 8332, 8545, 18443].flatMap((port) => [
      `https://shop.example:${port}/`,
      `https://[2606:4700::1111]:${port}/`,
    ]),
    'https://localhost/',
    'https://LOCALHOST./',
    'https://a.localhost/',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f.0.0.1/',
    'https://0177.0.0.1/',
    'https://127.0.0.1./',
    'https://10.0.0.1/',
    'https://172.16.0.1/',
    'https://192.168.0.1/',
    'https://169.254.169.254/latest/meta-data',
    'https://100.64.0.1/',
    'https://0.0.0.0/',
    'https://192.0.0.1/',
    'https://198.18.0.1/',
    'https://224.0.0.1/',
    'https://240.0.0.1/',
    'https://[::1]/',
    'https://[::]/',
    'https://[fe80::1]/',
    'https://[fc00::1]/',
    'https://[::ffff:7f00:1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[2001::1]/',
    'https://[5f00::1]/',
    'https://[100::1]/',
    'https://１２７.0.0.1/',
    'https://pay.example/hook',
    'https://PAY.example.:443/hook',
  ])('may not be %s', (url) => expect(webhookUrlError(url, strict)).toEqual(expect.any(String)))
})

describe('where development allows it a webhook', () => {
  it.each([
    'http://shop.example/',
    'http://localhost:4000/',
    'http://127.0.0.1:22/',
    'http://10.0.0.1:6379/',
    'http://[::1]:4000/',
    'http://[fc00::1]/',
    'http://shop:4000/hook',
    'http://shop.example:80/',
    'https://1.1.1.1:4000/',
  ])('may be %s', (url) => expect(webhookUrlError(url, development)).toBeUndefined())

  it.each([
    'http://169.254.169.254/',
    'http://[fe80::1]/',
    'http://[fd00:ec2::254]/',
    'http://[fd20:ce::254]/',
    'http://224.0.0.1/',
    'http://0.0.0.0:4000/',
    'http://shop.example:22/',
    'https://shop.example:80/',
    'http://1.1.1.1:25/',
    'http://127.0.0.1:3000/',
    'http://localhost:3000/',
    'http://127.0.0.2:3000/',
    'http://[::1]:3000/',
    'http://[::ffff:127.0.0.1]:3000/',
    'ftp://127.0.0.1/',
  ])('still may not be %s', (url) => expect(webhookUrlError(url, development)).toEqual(expect.any(String)))
})

describe('Q3 in the sandbox plain HTTP', () => {
  const sandbox: WebhookRules = { ...development, isHttpInnerOnly: true }

  it.each([
    'http://localhost:4000/',
    'http://a.localhost/',
    'http://127.0.0.1:22/',
    'http://10.0.0.1:6379/',
    'http://[::1]:4000/',
    'http://[fc00::1]/',
    'http://shop:4000/hook',
    'http://host.docker.internal:4000/',
    'http://shop.local./',
    'https://shop.example/',
    'https://1.1.1.1/',
  ])('may go to %s', (url) => expect(webhookUrlError(url, sandbox)).toBeUndefined())

  it.each([
    'http://example.com/',
    'http://example.com:8080/',
    'http://localhost.example.com/',
    'http://1.1.1.1/',
    'http://[2606:4700::1111]:4000/',
    'http://16843009/',
  ])('may not go to %s', (url) => {
    expect(webhookUrlError(url, sandbox)).toMatch(/^must be an https URL: the sandbox/)
  })
})

it('where private networks are admitted and ports are named, these are for public addresses, and no name is one', () => {
  const rules = { ...development, ports: [443] }
  const errorOf = (url: string) => webhookUrlError(url, rules)
  expect(['http://shop:4000/', 'http://10.0.0.1:4000/', 'https://1.1.1.1/'].map(errorOf)).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  expect(['https://1.1.1.1:8443/', 'http://shop:22/'].map(errorOf)).toEqual([
    'must not use port 8443',
    'must not use port 22',
  ])
})

it('plain http has its port where http is admitted, whichever ports are named', () => {
  const rules = { ...strict, allowHttp: true }
  expect(webhookUrlError('http://shop.example/', rules)).toBeUndefined()
  expect(webhookUrlError('http://shop.example:8080/', rules)).toBe('must not use port 8080')
})
