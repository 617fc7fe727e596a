/**
 * Follows a recipe of docs/recipes in a copy of this repository, from the first block of its page to the
 * last. It applies each `diff` block and runs each `sh` block; other blocks only show something.
 */
import { execFile, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { repositoryRoot } from './coffer-process.ts'

/** A copy of the repository after recipes were followed in it. It exists only while tests run. */
export interface RecipeCopy {
  readonly folder: string
  /** The test files that the recipes add, from the root of the repository. */
  readonly addedTests: readonly string[]
  read(file: string): string
  /** Compiles the server of the copy, and returns the folder of the modules. */
  compile(): string
  /**
   * Returns the findings of the gate in the copy. Biome checks the files that the recipes change; the compiler
   * and the tidy tests check everything.
   */
  gateFindings(): Promise<readonly string[]>
  /**
   * Runs tests of the copy, and returns those that did not pass. A file in which no test passed counts as
   * failed.
   * @param files are paths from the root of the repository
   */
  failuresIn(files: readonly string[]): Promise<readonly string[]>
}

/** The maximum time of one step. It is far above what the slowest step, the gate, takes on a busy machine. */
export const patienceMs = 300_000

/**
 * Follows recipes before the tests of a file. Call it at the top of the file.
 * @param names are the names of the pages, without `.md`
 */
export function useRecipes(...names: readonly string[]): RecipeCopy {
  let copy: RecipeCopy | undefined
  beforeAll(() => {
    copy = followRecipes(names)
  }, patienceMs)
  afterAll(() => copy && rmSync(copy.folder, { recursive: true, force: true }))
  return new Proxy({} as RecipeCopy, {
    get: (_target, field) => Reflect.get(required(copy, 'the copy, which exists inside tests only,'), field),
  })
}

/** @throws Error that names the block that cannot be followed */
function followRecipes(names: readonly string[]): RecipeCopy {
  const folder = copyRepository()
  try {
    return followIn(folder, names)
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

/**
 * Applies the diffs of recipes to a copy of the repository, and runs none of their commands.
 * @throws Error that names the block that cannot be applied
 */
export function requireApplicable(names: readonly string[]): void {
  const folder = copyRepository()
  try {
    for (const block of names.flatMap((name) => blocksOf(folder, `docs/recipes/${name}.md`)))
      if (block.language === 'diff') applyDiff(folder, block)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function followIn(folder: string, names: readonly string[]): RecipeCopy {
  const blocks = names.flatMap((name) => blocksOf(folder, `docs/recipes/${name}.md`))
  for (const [index, block] of blocks.entries()) {
    if (block.language === 'diff') applyDiff(folder, block)
    // A command that a later recipe repeats is run only there, to save time.
    const isLast = blocks.slice(index + 1).every(({ text }) => text !== block.text)
    if (block.language === 'sh' && isLast) run(folder, block.where, 'sh', ['-e', '-c', block.text])
  }
  const changed = blocks.flatMap(({ language, text }) => (language === 'diff' ? filesOf(text) : []))
  return {
    folder,
    addedTests: changed
      .filter(({ isNew, file }) => isNew && file.endsWith('.test.ts'))
      .map(({ file }) => file),
    read: (file) => readFileSync(path.join(folder, file), 'utf8'),
    compile: () => compile(folder),
    gateFindings: () => gateFindings(folder, [...new Set(changed.map(({ file }) => file))]),
    failuresIn: (files) => failuresIn(folder, ['unit', 'sdk', 'integration'], files),
  }
}

interface Block {
  readonly language: string
  readonly text: string
  /** The page and the line. */
  readonly where: string
}

/** Returns the fenced blocks of a page, in their order. */
function blocksOf(folder: string, page: string): readonly Block[] {
  const markdown = readFileSync(path.join(folder, page), 'utf8')
  const found = markdown.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)
  return [...found].map(({ 1: language = '', 2: text = '', index }) => ({
    language,
    text,
    where: `${page}:${markdown.slice(0, index).split('\n').length}`,
  }))
}

/**
 * Applies the diff of each file separately, because `--recount` would read the header of the next file as a
 * removed line. Nobody maintains the line numbers of a page, so only the context decides where a hunk is
 * applied.
 */
function applyDiff(folder: string, { text, where }: Block): void {
  for (const diff of text.split(/^(?=--- \S+\n\+\+\+ )/m))
    run(folder, where, 'git', ['apply', '--recount', '-C1', '-'], diff)
}

interface ChangedFile {
  readonly file: string
  readonly isNew: boolean
}

/** Returns the files that a diff changes or adds. */
function filesOf(diff: string): readonly ChangedFile[] {
  const headers = diff.matchAll(/^--- (?:a\/\S+|(\/dev\/null))\n\+\+\+ b\/(\S+)$/gm)
  return [...headers].map(([, nothing, file = '']) => ({ file, isNew: nothing !== undefined }))
}

const leftOut = /^(node_modules|dist|dist\..*|data|coverage|\.git)$/

/** Copies all files but generated ones, and links the packages. */
function copyRepository(): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'coffer-recipe-')))
  cpSync(repositoryRoot, folder, {
    recursive: true,
    filter: (file) => !leftOut.test(path.basename(path.relative(repositoryRoot, file))),
  })
  symlinkSync(path.join(repositoryRoot, 'node_modules'), path.join(folder, 'node_modules'))
  // Without a repository of its own, git would look for the files in a repository that contains the folder.
  run(folder, 'git init', 'git', ['init', '-q'])
  return folder
}

function compile(folder: string): string {
  const tsc = scriptOf('typescript-native', 'bin/tsc')
  const words = [tsc, '-p', 'server/tsconfig.build.json', '--noCheck', '--outDir', 'dist']
  run(folder, 'the compiler', process.execPath, words)
  return path.join(folder, 'dist')
}

function environment(): NodeJS.ProcessEnv {
  // The variables that Vitest and git set for this process are left out.
  const { PATH = '', HOME = '' } = process.env
  return { PATH, HOME, NO_COLOR: '1' }
}

function run(folder: string, what: string, program: string, words: readonly string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync(program, words, {
    cwd: folder,
    env: environment(),
    input,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 ** 2,
  })
  if (status !== 0) throw new Error(`${what} failed:\n${stdout}${stderr}`)
  return stdout
}

function scriptOf(packageName: string, script: string): string {
  const { resolve } = createRequire(import.meta.url)
  return path.join(path.dirname(resolve(`${packageName}/package.json`)), script)
}

/** Starts a Node program and resolves when it ends. `isDone` means that its exit code is 0. */
function runBeside(folder: string, words: readonly string[]): Promise<{ isDone: boolean; printed: string }> {
  const options = { cwd: folder, env: environment(), maxBuffer: 64 * 1024 ** 2 }
  return new Promise((resolve) => {
    execFile(process.execPath, words, options, (error, stdout, stderr) => {
      resolve({ isDone: error === null, printed: `${stdout}${stderr}` })
    })
  })
}

async function gateFindings(folder: string, files: readonly string[]): Promise<readonly string[]> {
  const biome = scriptOf('@biomejs/biome', 'bin/biome')
  const linted = files.filter((file) => !file.endsWith('.md'))
  const checks = [
    [scriptOf('typescript-native', 'bin/tsc'), '-p', 'server/tsconfig.json', '--incremental', 'false'],
    [biome, 'ci', '--colors=off', ...linted],
  ]
  const outcomes = await Promise.all([
    ...checks.map((words) => runBeside(folder, words)),
    failuresIn(folder, ['tidy'], []),
  ])
  return outcomes.flatMap((outcome) => {
    if ('isDone' in outcome) return outcome.isDone ? [] : [outcome.printed]
    return outcome
  })
}

/** The fields of Vitest's JSON report that are read here. */
interface TestReport {
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly message: string
    readonly assertionResults: readonly {
      readonly fullName: string
      readonly status: string
      readonly failureMessages: readonly string[] | null
    }[]
  }[]
}

async function failuresIn(
  folder: string,
  projects: readonly string[],
  files: readonly string[],
): Promise<readonly string[]> {
  // The gate does not read this folder.
  const report = path.join(folder, 'data', `${projects.join('-')}.json`)
  const { printed } = await runBeside(folder, [
    scriptOf('vitest', 'vitest.mjs'),
    'run',
    ...projects.flatMap((project) => ['--project', project]),
    '--reporter=json',
    `--outputFile=${report}`,
    ...files.map((file) => path.join(folder, file)),
  ])
  const { testResults } = readReport(report, printed)
  const named = testResults.map((result) => ({ ...result, file: path.relative(folder, result.name) }))
  const passed = named.filter(({ assertionResults }) =>
    assertionResults.some(({ status }) => status === 'passed'),
  )
  return [
    ...named.filter(({ message }) => message !== '').map(({ file, message }) => `${file}: ${message}`),
    ...named.flatMap(({ file, assertionResults }) =>
      assertionResults
        .filter(({ status }) => status === 'failed')
        .map(
          ({ fullName, failureMessages }) => `${file} › ${fullName}: ${withoutStack(failureMessages?.[0])}`,
        ),
    ),
    ...files
      .filter((file) => passed.every((one) => one.file !== file))
      .map((file) => `${file}: nothing passed`),
  ]
}

/** Removes the stack, because it names files of the copy, which is deleted after the tests. */
function withoutStack(message = ''): string {
  return message.replace(/\n {4}at [\s\S]*$/, '')
}

function readReport(file: string, printed: string): TestReport {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new Error(`The tests did not run:\n${printed}`, { cause: error })
  }
}
