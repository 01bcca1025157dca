// All of Kubernetes that a node and its control plane need, in one binary that
// looks at the name it was started by. One link step instead of four, and a
// third of the disk: the components share nearly all of their code.
package main

import (
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"k8s.io/component-base/cli/flag"
	"k8s.io/component-base/logs"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"

	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

func command(name string) *cobra.Command {
	switch name {
	case "kube-apiserver":
		return apiserver.NewAPIServerCommand()
	case "kube-controller-manager":
		return controllers.NewControllerManagerCommand()
	case "kube-scheduler":
		return scheduler.NewSchedulerCommand()
	case "kubelet":
		return kubelet.NewKubeletCommand()
	}
	return nil
}

func run() int {
	chosen := command(filepath.Base(os.Args[0]))
	if chosen == nil {
		fmt.Fprintln(os.Stderr, "start this by the name of the component, through a link")
		return 2
	}
	// The kubelet parses its flags itself, and the others want dashes and underscores to be one.
	pflag.CommandLine.SetNormalizeFunc(flag.WordSepNormalizeFunc)
	rand.Seed(time.Now().UnixNano())
	logs.InitLogs()
	defer logs.FlushLogs()
	if chosen.Execute() != nil {
		return 1
	}
	return 0
}

func main() {
	os.Exit(run())
}
