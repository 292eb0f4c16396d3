import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { canonicalForm } from '@portico/server/saml/canonical-form'
import { readXmlTree } from '@portico/server/saml/xml-tree'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasTool } from '../../debian-tools.js'

const run = promisify(execFile)
const limits = {
  length: 10_000,
  elements: 1000,
  depth: 40,
  attributes: 40,
  allAttributes: 100,
  names: 1000,
  comments: false,
}
const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#'

describe.skipIf(!hasTool('xmllint'))('the exclusive canonical form is that of libxml2', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'portico-c14n-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const method = (list?: string) =>
    readXmlTree(
      list === undefined
        ? '<m/>'
        : `<m><e:InclusiveNamespaces xmlns:e="${exclusive}" PrefixList="${list}"/></m>`,
      limits,
    )
  async function ofLibxml(xml: string): Promise<string> {
    const file = join(folder, 'document.xml')
    await writeFile(file, xml)
    return (await run('xmllint', ['--nonet', '--exc-c14n', file])).stdout
  }

  const documents: Record<string, string> = {
    'an empty element': '<r/>',
    'attributes by namespace and name':
      '<r b="" a="" z:a="" y:a="" xmlns:z="urn:1" xmlns:y="urn:2" xml:lang="en"/>',
    'namespaces where they are used':
      '<r xmlns:a="urn:a" xmlns:b="urn:b"><a:x/><b:x b:c=""><b:y/></b:x><a:x/></r>',
    'a prefix that means something else further in':
      '<a:r xmlns:a="urn:1"><a:x xmlns:a="urn:2"><a:y xmlns:a="urn:1"/></a:x><a:x/></a:r>',
    'a default namespace that is taken back': '<r xmlns="urn:1"><x xmlns=""><y xmlns="urn:1"/></x><z/></r>',
    'a default namespace within none': '<r><x xmlns="urn:1"><y xmlns=""/></x></r>',
    'a namespace that is declared again': '<a:r xmlns:a="urn:1"><a:x xmlns:a="urn:1"/></a:r>',
    'text that is escaped': '<r>&amp;&lt;&gt;&quot;&apos;&#13;&#10;&#9; \u00e9\u{1F600}</r>',
    'attributes that are escaped':
      '<r a="&amp;&lt;&gt;&quot;&apos;&#13;&#10;&#9; \u00e9" b=\'"\' c=" a\tb\nc "/>',
    'white space in tags': '<r  a = "1"\n\tb=\'2\' ><x ></x ></r >',
    'text between elements': '<r>a<x>b</x>c<x/>d</r>',
    'line breaks': '<r>\n  <x>\n</x>\n</r>\n',
  }
  for (const [title, xml] of Object.entries(documents))
    test(`of ${title}`, async () => {
      expect(canonicalForm(readXmlTree(xml, limits), method())).toBe(await ofLibxml(xml))
    })

  test('of an element within another has the namespaces that it uses, and no more', () => {
    const root = readXmlTree('<r xmlns:a="urn:a" xmlns:b="urn:b" xmlns="urn:c"><a:x><y/></a:x></r>', limits)
    const [inner] = root.children
    if (inner === undefined) throw new Error('no element')
    expect(canonicalForm(inner, method())).toBe('<a:x xmlns:a="urn:a"><y xmlns="urn:c"></y></a:x>')
    expect(canonicalForm(inner, method('b #default'))).toBe(
      '<a:x xmlns="urn:c" xmlns:a="urn:a" xmlns:b="urn:b"><y></y></a:x>',
    )
  })

  test('of an element without one of those in it', () => {
    const root = readXmlTree('<r>a<x>b</x>c</r>', limits)
    expect(canonicalForm(root, method(), root.children[0])).toBe('<r>ac</r>')
  })
})
