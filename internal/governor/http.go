package governor

import (
	"context"
	"errors"
)

type httpJudge struct{}

func newHTTP(*Spec, Options) judge { return httpJudge{} }

func (httpJudge) judge(context.Context, *input) (answer, error) {
	return answer{}, errors.New("not supported yet")
}

type dialOptions struct{}
