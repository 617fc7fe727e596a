import { expect, it } from 'vitest'
import { call, type RpcCall } from '../json-rpc.ts'
import { JointCalls } from './joint-calls.ts'

const never = new AbortController().signal

/** Returns joint calls that answer each call with its first parameter, and the requests that were sent. */
function listener() {
  const requests: (readonly RpcCall[])[] = []
  const joint = new JointCalls(async (calls) => {
    requests.push(calls)
    return calls.map(({ params }) => ({ result: params[0] }))
  })
  return { requests, joint }
}

it('sends what is asked at the same time in one request, and gives each asker the answers to its own', async () => {
  const { requests, joint } = listener()
  const answers = await Promise.all([
    joint.ask([call('a', 1), call('a', 2)], never),
    joint.ask([], never),
    joint.ask([call('a', 3)], never),
  ])
  expect(answers).toEqual([[{ result: 1 }, { result: 2 }], [], [{ result: 3 }]])
  expect(requests).toHaveLength(1)
  expect(await joint.ask([call('a', 4)], never)).toEqual([{ result: 4 }])
  expect(requests).toHaveLength(2)
})

it('keeps apart what is given up apart', async () => {
  const { requests, joint } = listener()
  await Promise.all([
    joint.ask([call('a', 1)], never),
    joint.ask([call('a', 2)], new AbortController().signal),
  ])
  expect(requests).toHaveLength(2)
})

it('fails every asker of a request that fails', async () => {
  const joint = new JointCalls(async () => {
    throw new Error('away')
  })
  const asked = [joint.ask([call('a')], never), joint.ask([call('b')], never)]
  const outcomes = await Promise.allSettled(asked)
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})
