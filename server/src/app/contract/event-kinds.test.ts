import { Value } from 'typebox/value'
import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../../platform/http/json-schema.ts'
import { eventTypes } from '../../platform/outbox/event.ts'
import { EventView, eventKinds, exampleEvent } from './event-kinds.ts'

describe('the kinds of events', () => {
  it('are declared once each, for every type there is', () => {
    expect(eventKinds.map(({ type }) => type).sort()).toEqual([...eventTypes].sort())
  })

  it.each(eventKinds)('$type says what each of its fields means', ({ data }) => {
    for (const [name, field] of Object.entries(data.properties as Record<string, JsonSchema>)) {
      const isPlain = field.const !== undefined || field.title !== undefined
      expect(isPlain || JSON.stringify(field).includes('"description"'), name).toBe(true)
    }
  })

  it.each(eventKinds)('$type stays below 20 kB, whatever stands in its texts', ({ data }) => {
    // A character takes at most six bytes: JSON writes a control character as `\u` and four hex digits.
    expect(longest(data as JsonSchema) * 6 + 512).toBeLessThan(20_000)
  })

  it.each(eventKinds)('$type is shown as it might be sent', (kind) => {
    const example = exampleEvent(kind)
    expect(Value.Check(EventView, example)).toBe(true)
    expect(JSON.stringify(example)).not.toContain('"text"')
  })
})

/** Returns the number of characters of the longest value of a schema, its field names included. */
function longest(schema: JsonSchema): number {
  if (schema.enum !== undefined) return Math.max(...schema.enum.map((value) => String(value).length))
  if (schema.anyOf !== undefined) return Math.max(...schema.anyOf.map(longest))
  if (schema.properties !== undefined) {
    return Object.entries(schema.properties).reduce(
      (sum, [name, part]) => sum + name.length + longest(part) + 6,
      2,
    )
  }
  if (schema.items !== undefined) return (schema.maxItems ?? Infinity) * (longest(schema.items) + 3)
  if (schema.type !== 'string' || schema.const !== undefined) return 20
  const isFixed = schema.pattern?.startsWith('^[0-9a-fA-F]{8}') || schema.description?.startsWith('YYYY')
  return isFixed ? 36 : (schema.maxLength ?? Infinity)
}
