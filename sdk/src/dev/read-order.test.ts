import { describe, expect, it } from 'vitest'
import { helpText } from './help.ts'
import { readOrder } from './read-order.ts'

const forward = ['--forward', 'http://localhost:4000/hook']

describe('readOrder', () => {
  it('prefers arguments to the environment, and the environment to defaults', () => {
    const env = {
      COFFER_URL: 'pay.example',
      COFFER_API_KEY: 'key',
      COFFER_MERCHANT_ID: 'shop',
      COFFER_TOKEN: '',
    }
    expect(readOrder(['listen', ...forward], env)).toEqual({
      command: 'listen',
      url: 'http://pay.example/',
      apiKey: 'key',
      token: undefined,
      merchantID: 'shop',
      forward: new URL('http://localhost:4000/hook'),
      from: 'now',
      secret: undefined,
      serviceName: undefined,
      types: undefined,
    })
    const words = [
      '--url',
      'https://x.example',
      '--api-key=k2',
      '--merchant',
      'm2',
      '--from',
      '17',
      '--secret',
      's',
    ]
    expect(
      readOrder(['listen', ...forward, ...words, '--events', 'invoice.paid, webhook.test'], env),
    ).toMatchObject({
      url: 'https://x.example/',
      apiKey: 'k2',
      merchantID: 'm2',
      from: 17,
      secret: 's',
      types: new Set(['invoice.paid', 'webhook.test']),
    })
    expect(readOrder(['trigger'], {})).toEqual({
      command: 'trigger',
      url: 'http://127.0.0.1:3000/',
      apiKey: undefined,
      token: undefined,
      merchantID: undefined,
    })
  })

  it.each(['localhost:4000/hook', '127.0.0.1:4000/hook', 'http://[::1]:4000/hook', 'HTTPS://shop.test'])(
    'accepts %s as the address of a receiver',
    (index) => {
      const order = readOrder(['listen', '--forward', index], {})
      expect(order.command === 'listen' && order.forward.href).toMatch(/^https?:\/\/\S+$/)
    },
  )

  it.each([
    ['an unknown command', ['listne'], /Unknown command "listne"/],
    ['an unknown option', ['listen', '--form', '3'], /--form/],
    ['an option without its value', ['listen', '--forward'], /forward/],
    ['a word too many', ['listen', ...forward, 'invoice.paid'], /"invoice.paid"/],
    ['no receiver', ['listen'], /--forward http/],
    ['a receiver that is no URL', ['listen', '--forward', ':99999'], /--forward must be/],
    ['a receiver that is no server', ['listen', '--forward', 'file:///etc/passwd'], /--forward must be/],
    ['a beginning that is none', ['listen', ...forward, '--from', '-1'], /--from/],
    ['a beginning in words', ['listen', ...forward, '--from', 'yesterday'], /--from must be "now"/],
    ['an event that there is not', ['listen', ...forward, '--events', 'invoice.payed'], /invoice.paid, /],
    ['sending without a secret', ['send', 'invoice.paid', ...forward], /--secret/],
    ['sending nothing', ['send', ...forward, '--secret', 's'], /event type is required/],
  ])('names the right argument instead of %s', (_name, words, message) => {
    expect(() => readOrder(words, {})).toThrow(message)
  })

  it.each([
    [[]],
    [['--help']],
    [['help']],
    [['-h']],
    [['listen', '--help']],
    [['help', 'send']],
    [['help', 'me']],
  ])('prints the help for %j', (words) => {
    const order = readOrder(words, {})
    expect(order.command === 'help' && helpText(order.about)).toMatch(/^coffer-dev/)
  })
})
