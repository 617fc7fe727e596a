import type { Reporter, TestCase, TestModule } from 'vitest/node'

/**
 * Lists at the end of a run what was not run, by name and with the reason, so that a green result cannot hide
 * a gap.
 */
export default class SkippedReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const lines = modules.flatMap((module) => [...module.children.allTests('skipped')].map(describeSkipped))
    if (lines.length === 0) return
    process.stdout.write(`\nNot run (${lines.length}):\n${[...lines].sort().join('\n')}\n\n`)
  }
}

function describeSkipped(test: TestCase): string {
  const result = test.result()
  const reason = result.state === 'skipped' ? result.note : undefined
  const name = `${test.module.relativeModuleId} > ${test.fullName}`
  return `  ${name}${reason === undefined ? '' : `  (${reason})`}`
}
