import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { eventsPage } from './events-page.ts'

it('docs/events.md is as the declared schemas make it; after a change: npm run contract', () => {
  const committed = readFileSync(new URL('../../../../docs/events.md', import.meta.url), 'utf8')
  expect(committed).toBe(`${eventsPage()}\n`)
})
