import { describe, expect, it } from 'vitest'
import { route } from '../../src/platform/http/route.ts'
import { publicUrl } from '../api/api.ts'
import { merchantIds } from '../support/made-people.ts'
import { useMadeServers } from '../support/made-server.ts'

const startServer = useMadeServers()

const old = route({
  method: 'DELETE',
  path: '/old/:merchantID/things/:thingID',
  auth: 'any',
  deprecated: {
    since: new Date('2027-01-31T00:00:00Z'),
    sunset: new Date('2028-02-01T12:00:00Z'),
    successor: '/merchants/:merchantID/things/:thingID',
  },
  summary: 'Will go',
  replies: { 204: null },
  handle: async () => ({ status: 204 }),
})

describe('a deprecated route', () => {
  it('announces since when and until when it is deprecated and what replaces it, also on refusals', async () => {
    const { call } = await startServer({ routes: [old] })
    const thing = `${merchantIds.shop}/things/${merchantIds.stall}`
    const answers = [
      await call('DELETE', `/old/${thing}`, { token: 'alice' }),
      await call('DELETE', `/old/${thing}`),
    ]
    expect(answers.map(({ status }) => status)).toEqual([204, 401])
    for (const { headers } of answers) {
      expect(headers.get('deprecation')).toBe('@1801353600')
      expect(headers.get('sunset')).toBe('Tue, 01 Feb 2028 12:00:00 GMT')
      expect(headers.get('link')).toBe(`<${publicUrl}/merchants/${thing}>; rel="successor-version"`)
    }
  })
})
