import { testPagesByAxe } from './pages-axe-given.js'

testPagesByAxe('light')
