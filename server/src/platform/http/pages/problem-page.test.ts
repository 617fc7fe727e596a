import { describe, expect, it } from 'vitest'
import { type ProblemCode, problems } from '../../../core/errors.ts'
import { escapeHtml, markdownHtml } from './page.ts'
import { problemIndexPage, problemPage } from './problem-page.ts'

const codes = Object.keys(problems) as ProblemCode[]

describe('problem pages', () => {
  it.each(codes)('G20 %s has a page that says what it means and what to do', (code) => {
    const { headers, body } = problemPage(code)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(body).toContain(`<h1>${escapeHtml(problems[code].title)}</h1>`)
    expect(body).toMatch(/What it means<\/h3><p>.{20,}<\/p>[\s\S]*What to do<\/h3><p>.{20,}<\/p>/)
  })

  it('are all listed', () => {
    const { body } = problemIndexPage()
    for (const code of codes) expect(body).toContain(`href="problems/${code}"`)
  })

  it('let nothing run and nothing be loaded', () => {
    const policy = problemIndexPage().headers['content-security-policy']
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]+'; base-uri/)
  })

  it('escape what could end the text they stand in', () => {
    expect(escapeHtml(`<a href="x" id='y'>&`)).toBe('&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;')
    expect(markdownHtml('## A `<b>`\n\nB & C')).toBe('<h3>A <code>&lt;b&gt;</code></h3>\n<p>B &amp; C</p>')
  })
})
