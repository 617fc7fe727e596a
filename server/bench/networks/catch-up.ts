/** Measures how long one watcher needs for the blocks that it missed, one network after the other. */
import { figure, type Measurement } from '../measurement.ts'
import { usedMs } from '../read-cpu.ts'
import { type Followed, type Running, waitForWebhooks } from './running.ts'

const patienceMs = 120_000

export async function catchUp(running: Running): Promise<readonly Measurement[]> {
  const measurements: Measurement[] = []
  for (const one of running.followed) measurements.push(await catchUpOn(running, one))
  await waitForWebhooks(running, patienceMs)
  return measurements
}

async function catchUpOn(
  running: Running,
  { network, node, missedHeight, firstIndex }: Followed,
): Promise<Measurement> {
  const { booked, receiver, pid, note } = running
  // A payment in the last block is confirmed only by one more block.
  for (const { height, txHash } of node.payments)
    if (height < missedHeight) receiver.expect([txHash], firstIndex + height)
  note(`${network}: catching up with ${missedHeight} blocks`)
  const startedMs = performance.now()
  const cpuBeforeMs = usedMs(pid)
  node.moveTo(missedHeight)
  const tookMs = (await booked.when(network, missedHeight)) - startedMs
  const cpuMs = usedMs(pid) - cpuBeforeMs
  const { blockTimeMs } = node.plan.shape
  const missed = (missedHeight * blockTimeMs) / 60_000
  return {
    bar: `${network}: ${figure(missed)} missed minutes`,
    // A missed hour takes at most three minutes.
    must: { atMost: (missed / 60) * 180 },
    measured: tookMs / 1000,
    unit: 's',
    remark: `${missedHeight} blocks, ${figure((missedHeight / tookMs) * 1000)} blocks/s, ${figure(cpuMs / missedHeight)} ms of CPU a block`,
  }
}
