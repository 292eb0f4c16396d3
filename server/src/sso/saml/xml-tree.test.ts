import { describe, expect, test } from 'vitest'
import {
  childrenOf,
  isElement,
  onlyChildOf,
  readXmlTree,
  elementText,
  walk,
  XmlFault,
  type XmlLimits,
} from './xml-tree.js'

const limits: XmlLimits = {
  length: 1000,
  elements: 5,
  names: 4,
  depth: 3,
  attributes: 4,
  allAttributes: 8,
  comments: false,
}

function read(xml: string, changes: Partial<XmlLimits> = {}) {
  return readXmlTree(xml, { ...limits, ...changes })
}

describe('a tree of XML', () => {
  test('has elements by namespace and name, whatever their prefix', () => {
    const root = read('<a:r xmlns:a="urn:a" xmlns="urn:b"><x/><a:x/></a:r>')
    expect(isElement(root, 'urn:a', 'r')).toBe(true)
    expect(childrenOf(root, 'urn:a', 'x')).toHaveLength(1)
    expect(childrenOf(root, 'urn:b', 'x')).toHaveLength(1)
    expect([...walk(root)].map(({ prefix, name }) => `${prefix}:${name}`)).toEqual(['a:r', ':x', 'a:x'])
  })

  test('has attributes by their names, and those of a namespace apart', () => {
    const { attributes } = read('<r xmlns:a="urn:a" id="1" a:id="2"/>')
    expect({ ...attributes }).toEqual({ id: '1', '{urn:a}id': '2' })
    expect(Object.getPrototypeOf(attributes)).toBeNull()
  })

  test('has the one child, and none where there are several', () => {
    expect(onlyChildOf(read('<r><x/></r>'), '', 'x')?.name).toBe('x')
    expect(onlyChildOf(read('<r><x/><x/></r>'), '', 'x')).toBeUndefined()
    expect(onlyChildOf(read('<r/>'), '', 'x')).toBeUndefined()
  })

  test('has text without the white space around it, and none of an element with children', () => {
    expect(elementText(read('<r> a &amp; &#66; </r>'))).toBe('a & B')
    expect(elementText(read('<r>\u00a0&#13;\n</r>'))).toBe('\u00a0')
    expect(elementText(read('<r> &#13;\n</r>'))).toBe('')
    expect(elementText(read('<r>a<x/>b</r>'))).toBeUndefined()
  })

  test('skips comments where they are allowed', () => {
    expect(elementText(read('<r>a<!-- <x> -->b</r>', { comments: true }))).toBe('ab')
  })

  test('knows nothing of the declaration but its version', () => {
    expect(read(`\uFEFF<?xml version='1.0' encoding="x" standalone="yes"?>\n<r/>`).name).toBe('r')
  })

  const refused: readonly [string, XmlFault['kind'], string][] = [
    ['nothing', 'form', ''],
    ['text alone', 'form', 'x'],
    ['an element that does not end', 'form', '<r>'],
    ['two elements', 'form', '<r/><r/>'],
    ['an attribute without quotation marks', 'form', '<r a=b/>'],
    ['an attribute that is there twice', 'form', '<r a="" a=""/>'],
    [
      'an attribute that is there twice, by two prefixes',
      'form',
      '<r xmlns:a="u" xmlns:b="u" a:x="" b:x=""/>',
    ],
    ['a prefix that is not declared', 'form', '<a:r/>'],
    ['an entity that is not declared', 'form', '<r>&x;</r>'],
    ['a character that XML does not have', 'form', '<r>\u0001</r>'],
    ['a reference to a character that XML does not have', 'form', '<r>&#0;</r>'],
    ['version 1.1', 'form', '<?xml version="1.1"?><r/>'],
    ['a second declaration', 'form', '<?xml version="1.0"?>\n<?xml version="1.0"?><r/>'],
    ['a declaration within', 'markup', '<r><?xml version="1.0"?></r>'],
    ['a comment', 'markup', '<r><!-- --></r>'],
    ['a processing instruction', 'markup', '<r><?x?></r>'],
    ['a document type', 'markup', '<!DOCTYPE r><r/>'],
    ['CDATA', 'markup', '<r><![CDATA[x]]></r>'],
    ['a name that every object has', 'markup', '<r toString=""/>'],
    ['a name in other letters', 'markup', '<\u00e9/>'],
    ['1,001 characters', 'size', `<r>${'x'.repeat(994)}</r>`],
    ['six elements', 'size', '<r><x/><x/><x/><x/><x/></r>'],
    ['four levels', 'size', '<r><x><x><x/></x></x></r>'],
    ['five attributes', 'size', '<r a="" b="" c="" d="" e=""/>'],
    [
      'five declarations of namespaces',
      'size',
      '<r xmlns:a="u" xmlns:b="u" xmlns:c="u" xmlns:d="u" xmlns="u"/>',
    ],
  ]
  for (const [title, kind, xml] of refused)
    test(`is not made of ${title}`, () => {
      expect(() => read(xml)).toThrow(expect.objectContaining({ name: 'XmlFault', kind }))
    })

  test('is made of exactly as much as is allowed', () => {
    expect(read(`<r>${'x'.repeat(993)}</r>`).text).toHaveLength(993)
    read('<r><x/><x/><x/><x/></r>')
    read('<r><x><x/></x></r>')
    read('<r a="" b="" c="" d=""><x a="" b="" c="" d=""/></r>')
  })

  test('of a processing instruction is not made where comments are allowed, either', () => {
    expect(() => read('<r><?x?></r>', { comments: true })).toThrow(XmlFault)
    expect(() => read('<!DOCTYPE r><r/>', { comments: true })).toThrow(XmlFault)
  })
})
