import { Type } from 'typebox'
import { nullable, oneOf, optionalTimestamp, timestampOut } from '../../platform/http/wire.ts'
import { stepNames, type Trace, verdictCodes } from './trace.ts'

export const TraceView = Type.Object(
  {
    txHash: Type.String(),
    network: Type.String(),
    steps: Type.Array(
      Type.Object({
        step: oneOf(stepNames, { title: 'TraceStep' }),
        ok: Type.Boolean(),
        detail: Type.String({ examples: ['It was mined in block 1042.'] }),
        at: nullable(timestampOut),
      }),
    ),
    verdict: Type.Object({
      code: oneOf(verdictCodes, { title: 'TraceVerdict' }),
      detail: Type.String({ examples: ['The payment of 10 USDT has 1 of 2 confirmations.'] }),
    }),
  },
  { title: 'Trace' },
)

export function traceView(
  { txHash, network }: { readonly txHash: string; readonly network: string },
  { steps, verdict }: Trace,
) {
  return {
    txHash,
    network,
    steps: steps.map(({ at, ...rest }) => ({ ...rest, at: optionalTimestamp(at) })),
    verdict: { ...verdict },
  }
}
