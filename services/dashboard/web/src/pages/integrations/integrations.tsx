import { Route, Switch } from "wouter";
import { IntegrationList } from "./integration_list.tsx";
import { IntegrationDetail } from "./integration_detail.tsx";
import { NewIntegration } from "./new_integration.tsx";

/** The SMTP servers that send the account's mail. */
export default function Integrations() {
  return (
    <Switch>
      <Route path="/new" component={NewIntegration} />
      <Route path="/:id">{({ id }) => <IntegrationDetail key={id} id={Number(id)} />}</Route>
      <Route component={IntegrationList} />
    </Switch>
  );
}
