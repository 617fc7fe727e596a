import { expect, it } from 'vitest'
import { KeyFileError } from './operator-key.ts'
import { signAndAdd } from './sign-and-add.ts'

const seed = '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60'
const file = { text: async () => seed }
const entry = { text: 'the entry', nodes: null }

/** Returns a server that refuses an entry or not, and what was sent to it. */
function server(refusal?: Error) {
  const sent: [name: string, isSigned: boolean][] = []
  const answering =
    (name: string) =>
    async ({ body }: { readonly body: object }) => {
      sent.push([name, 'signature' in body])
      if (refusal !== undefined) throw refusal
      return { lastEntry: 1 }
    }
  const api = { checkOwnEntry: answering('check'), addOwnEntry: answering('add') }
  return { sent, api: api as never as Parameters<typeof signAndAdd>[0] }
}

it('signs an entry only after the server has checked it', async () => {
  const { sent, api } = server()
  expect(await signAndAdd(api, file, entry)).toEqual({ lastEntry: 1 })
  expect(sent).toEqual([
    ['check', false],
    ['add', true],
  ])
})

it('sends no signature of an entry that the server would not take', async () => {
  const refusal = new Error('proof-required, or another operator was first')
  const { sent, api } = server(refusal)
  await expect(signAndAdd(api, file, entry)).rejects.toBe(refusal)
  expect(sent).toEqual([['check', false]])
})

it('lets a server sign that has the key', async () => {
  const { sent, api } = server()
  await signAndAdd(api, undefined, entry)
  expect(sent).toEqual([['add', false]])
})

it('asks the server nothing with a file that cannot be read', async () => {
  const { sent, api } = server()
  const gone = { text: () => Promise.reject(new DOMException('gone', 'NotReadableError')) }
  await expect(signAndAdd(api, gone, entry)).rejects.toThrow(KeyFileError)
  expect(sent).toEqual([])
})
