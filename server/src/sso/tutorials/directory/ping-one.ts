import { copy, path, settings, text, warn, words } from '../blocks.js'
import type { DirectoryTutorial } from '../tutorial.js'

export const pingOneDirectory: DirectoryTutorial = {
  id: 'ping_one',
  name: 'PingOne',
  mark: 'P1',
  minutes: 15,
  checkedOn: '2026-11-22',
  steps: [
    {
      id: 'connection',
      title: words('Create the connection', 'Créer la connexion'),
      blocks: [
        path('Integrations', 'Provisioning', '+', 'New Connection', 'Identity Store', 'SCIM Outbound'),
        text(
          'Give it a name that you will know again, and press **Next**.',
          'Donnez-lui un nom que vous reconnaîtrez, puis **Next**.',
        ),
      ],
    },
    {
      id: 'connect',
      title: words('Connect PingOne to us', 'Relier PingOne à nous'),
      blocks: [
        copy('SCIM BASE URL', 'scim_base_url'),
        settings(
          ['Users Resource', '/Users'],
          ['Groups Resource', '/Groups'],
          ['SCIM Version', '2.0'],
          ['Authentication Method', 'OAuth 2 Bearer Token'],
          ['Auth Type Header', 'Bearer'],
        ),
        text(
          'Enter the secret of this page as **OAuth Access Token**, press **Test Connection**, then **Next**.',
          'Saisissez le secret de cette page comme **OAuth Access Token**, cliquez sur **Test Connection**, puis **Next**.',
        ),
      ],
    },
    {
      id: 'preferences',
      title: words('Choose what PingOne does', 'Choisir ce que fait PingOne'),
      blocks: [
        settings(
          ['User Filter Expression', 'userName Eq "%s"'],
          ['User Identifier', 'userName'],
          ['Allow Users to be Deprovisioned', '✓'],
          ['Remove Action', 'Disable'],
        ),
        text(
          'Press **Save**, and turn the connection on by its switch.',
          'Cliquez sur **Save**, et activez la connexion par son interrupteur.',
        ),
      ],
    },
    {
      id: 'rule',
      title: words('Say who is sent', 'Dire qui est envoyé'),
      blocks: [
        path('Integrations', 'Provisioning', 'Rules', '+', 'New Rule', 'Create Rule'),
        text(
          'Under **Configuration** choose the connection as the **Target**, write a **User Filter** that fits those who are to be here, and look under **Attribute Mapping** that the e-mail address is sent. Groups are added under **Group Provisioning**.',
          'Sous **Configuration**, choisissez la connexion comme **Target**, écrivez un **User Filter** pour ceux qui doivent être ici, et vérifiez sous **Attribute Mapping** que l’adresse e-mail est envoyée. Les groupes s’ajoutent sous **Group Provisioning**.',
        ),
        warn(
          'Nothing is sent before the switches of the connection and of the rule are both on.',
          'Rien n’est envoyé tant que les interrupteurs de la connexion et de la règle ne sont pas tous deux activés.',
        ),
      ],
    },
  ],
  quirks: [],
}
